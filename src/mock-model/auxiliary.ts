/** Everything a client asks that is no model call: token counts, model lists, sign-in checks. The answers are harmless. */
export function auxiliary(method: string, path: string): { readonly status: number; readonly value: unknown } {
  if (method === 'HEAD') return { status: 200, value: {} };
  if (path.endsWith('/count_tokens')) return { status: 200, value: { input_tokens: 1200 } };
  if (path.endsWith(':countTokens')) return { status: 200, value: { totalTokens: 1200 } };
  if (path.endsWith('/get-models')) return { status: 200, value: augmentModels() };
  if (path.endsWith('/v1beta/models')) {
    return {
      status: 200,
      value: { models: MODELS.map((id) => ({ name: `models/${id}`, inputTokenLimit: 128_000, outputTokenLimit: 8_192 })) },
    };
  }
  if (path.endsWith('/models')) {
    return {
      status: 200,
      value: { object: 'list', data: MODELS.map((id) => ({ id, object: 'model', type: 'model', display_name: id })), has_more: false },
    };
  }
  return { status: 404, value: { error: { message: 'The mock server has nothing here.', type: 'not_found_error', code: 404 } } };
}

const MODELS = ['mock-model', 'claude-sonnet-4-5', 'gpt-5.5', 'gemini-2.5-flash'];

function augmentModels(): unknown {
  const model = { name: 'mock-model', suggested_prefix_char_count: 1000, suggested_suffix_char_count: 1000 };
  return { default_model: 'mock-model', models: [model], feature_flags: {}, languages: [], user: { id: 'mock', email: 'mock@localhost' } };
}
