/** An object of unknown members, as a client sent it: no function that takes one throws on an unexpected shape. */
export type Members = Readonly<Record<string, unknown>>;

/** The value when it is an object, else an empty one. */
export function record(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** The objects of an array, else none. */
export function records(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(record) : [];
}

/** The text, or an empty one. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Joins what vendors call content: a string, or a list of blocks that may carry `text`. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return records(content)
    .map((block) => text(block['text']))
    .filter((part) => part !== '')
    .join('\n');
}

/** Cuts a text into the deltas of a stream: several when it is long enough, so that clients show their delta handling. */
export function deltas(whole: string): string[] {
  const size = Math.max(8, Math.ceil(whole.length / 3));
  const pieces: string[] = [];
  for (let at = 0; at < whole.length; at += size) pieces.push(whole.slice(at, at + size));
  return pieces;
}

/** One server-sent event, with a name where the vendor has names. */
export function sse(data: unknown, event?: string): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** The arguments of a call as the text that goes over the wire. */
export function argsText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** Status, type, code and message of OpenAI's errors, by fault. */
const OPENAI_ERRORS: Readonly<Record<string, readonly [number, string, string, string]>> = {
  unauthorized: [401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: sk-mock.'],
  'rate-limited': [429, 'requests', 'rate_limit_exceeded', 'Rate limit reached for requests. Please try again in 1s.'],
  'usage-limit': [429, 'usage_limit_reached', 'usage_limit_reached', 'The usage limit has been reached'],
  'server-error': [500, 'server_error', 'server_error', 'The server had an error while processing your request.'],
  overloaded: [503, 'server_error', 'server_is_overloaded', 'The engine is currently overloaded, please try again later.'],
};

/** Errors in OpenAI's shape, shared by Responses and Chat Completions. */
export function openaiError(fault: string) {
  const [status, type, code, message] = OPENAI_ERRORS[fault] ?? [500, 'server_error', 'server_error', fault];
  // The reset time is fixed and far ahead (2100-01-01), so that a recording does not depend on its day.
  const limit = fault === 'usage-limit' ? { plan_type: 'plus', resets_at: 4102444800, resets_in_seconds: 18_000 } : {};
  return {
    status,
    headers: fault === 'rate-limited' ? { 'retry-after': '1' } : {},
    body: { error: { message, type, code, param: null, ...limit } },
  };
}
