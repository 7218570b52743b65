/** The wire formats of the native agent: provider, path of its base URL, model. */
export const PROVIDERS = [
  ['anthropic', '', 'claude-sonnet-4-5'],
  ['openai', '/v1', 'gpt-5'],
  ['google', '', 'gemini-2.5-flash'],
  ['openai-compatible', '/v1', 'some-model'],
] as const;
