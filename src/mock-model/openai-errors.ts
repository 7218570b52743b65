import type { Fault, HttpError } from './wire-types.ts';

/** Status, type, code and message by fault. */
const ERRORS: Readonly<Record<string, readonly [number, string, string, string]>> = {
  unauthorized: [401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: sk-mock.'],
  'rate-limited': [429, 'requests', 'rate_limit_exceeded', 'Rate limit reached for requests. Please try again in 1s.'],
  'usage-limit': [429, 'usage_limit_reached', 'usage_limit_reached', 'The usage limit has been reached'],
  'server-error': [500, 'server_error', 'server_error', 'The server had an error while processing your request.'],
  overloaded: [503, 'server_error', 'server_is_overloaded', 'The engine is currently overloaded, please try again later.'],
};

/** Errors in OpenAI's shape, shared by Responses and Chat Completions. */
export function openaiError(fault: Fault): HttpError {
  const [status, type, code, message] = ERRORS[fault] ?? [500, 'server_error', 'server_error', fault];
  // The reset time is fixed and far ahead (2100-01-01), so that a recording does not depend on its day.
  const limit = fault === 'usage-limit' ? { plan_type: 'plus', resets_at: 4102444800, resets_in_seconds: 18_000 } : {};
  return {
    status,
    headers: fault === 'rate-limited' ? { 'retry-after': '1' } : {},
    body: { error: { message, type, code, param: null, ...limit } },
  };
}
