import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyFailure, findStatus, parseResetAt } from './classify-failure.ts';

const NOW = Date.UTC(2025, 10, 5, 12, 0);
const classOf = (message: string, httpStatus?: number): string => classifyFailure({ message, httpStatus: httpStatus ?? null }, NOW).class;

describe('classifyFailure', () => {
  it.each([
    'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    'exceeded retry limit, last status: 429 Too Many Requests',
    'Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29000',
    'stream disconnected before completion: error sending request',
    'connect ECONNRESET 10.0.0.1:443',
    'getaddrinfo ENOTFOUND api.anthropic.com',
    'TypeError: fetch failed',
    'Request timed out.',
    'unexpected status 503 Service Unavailable',
    "We're currently experiencing high demand, which may cause temporary errors.",
    '[API Error: {"error":{"code":429,"message":"Quota exceeded for quota metric GenerateRequestsPerMinutePerProject","status":"RESOURCE_EXHAUSTED"}}]',
    '500 {"error":{"message":"boom"}}',
  ])('calls a passing trouble transient: %s', (message) => expect(classOf(message)).toBe('transient'));

  it.each([
    'Claude AI usage limit reached|1762365600',
    "You've hit your limit · resets 3pm (Europe/Berlin)",
    "You've hit your usage limit. Upgrade to Pro or try again in 2 hours 5 minutes.",
    '5-hour limit reached ∙ resets 7pm',
    '429 You exceeded your current quota, please check your plan and billing details.',
    '{"error":{"type":"insufficient_quota"}}',
    'Your credit balance is too low to access the Anthropic API.',
    '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel"}]}}',
    'QUOTA_EXHAUSTED: You have exhausted your capacity on this model. Your quota will reset after 5h3m.',
    '402 Payment Required',
    'You have no quota remaining for premium requests',
  ])('calls a used-up quota a limit: %s', (message) => expect(classOf(message)).toBe('limit'));

  it.each([
    'Invalid API key · Please run /login',
    'Invalid API key · Fix external API key',
    'unexpected status 401 Unauthorized: Incorrect API key provided',
    '[API Error: {"error":{"code":401,"message":"API key not valid. Please pass a valid API key.","status":"UNAUTHENTICATED"}}]',
    'Incorrect API key provided: sk-x.',
    'Authentication required: Call authenticate',
    'OAuth token has expired. Please obtain a new token',
    'When using Gemini API, you must specify the GEMINI_API_KEY environment variable.',
    'Not logged in. Run `codex login` first.',
    'No API key found for provider "anthropic"',
  ])('calls a refused key auth: %s', (message) => expect(classOf(message)).toBe('auth'));

  it.each([
    'API Error: 404 {"type":"error","error":{"type":"not_found_error","message":"model: claude-nope"}}',
    "There's an issue with the selected model (nope). It may not exist or you may not have access to it.",
    'unexpected status 400 Bad Request: {"error":{"message":"messages: roles must alternate"}}',
    'The model `gpt-9` does not exist or you do not have access to it.',
    'models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.',
    'Unknown model: foo',
    'Sandbox required but unavailable: sandbox is enabled but dependencies are missing: socat not installed · install missing tools (e.g. apt install bubblewrap socat). Set sandbox.failIfUnavailable=false to allow unsandboxed execution.',
  ])('calls a request that is refused for good a request: %s', (message) => expect(classOf(message)).toBe('request'));

  it('a request that is only too long is none of them', () => {
    expect(classOf('API Error: 400 input length and `max_tokens` exceed context limit: prompt is too long')).toBe('agent');
    expect(classOf('maximum context length is 128000 tokens', 400)).toBe('agent');
  });

  it.each(['Prompt is too long', 'the tests on line 500 fail', 'Session not found', 'unexpected argument --foo', ''])(
    'calls anything else agent: %s',
    (message) => expect(classOf(message)).toBe('agent'),
  );

  it('lets a status field speak before the words', () => {
    expect(classOf('something odd', 401)).toBe('auth');
    expect(classOf('something odd', 529)).toBe('transient');
    expect(classOf('something odd', 429)).toBe('transient');
    expect(classOf('usage limit reached', 429)).toBe('limit');
    expect(classOf('quota service failed', 500)).toBe('transient');
  });

  it('tells the reset time of a limit, and only of a limit', () => {
    expect(classifyFailure({ message: 'usage limit reached|1762365600' }, NOW).resetAt).toBe(1762365600000);
    expect(classifyFailure({ message: 'rate limit, retry in 20s', httpStatus: 429 }, NOW)).not.toHaveProperty('resetAt');
    expect(classifyFailure({ message: 'usage limit reached', resetAt: 7 }, NOW).resetAt).toBe(7);
  });

  it('bounds the message and never leaves it empty', () => {
    expect(classifyFailure({ message: 'x'.repeat(5000) }, NOW).message).toHaveLength(2000);
    expect(classifyFailure({ message: ' ' }, NOW).message).not.toBe('');
  });

  it('judges any text without failing or taking long', () => {
    fc.assert(fc.property(fc.string({ maxLength: 3000 }), (text) => ['transient', 'limit', 'auth', 'agent'].includes(classOf(text))));
    classOf(`${'reset in 1 '.repeat(2000)}${' 1h'.repeat(5000)}`);
  });
});

describe('findStatus', () => {
  it.each([
    ['unexpected status 401 Unauthorized', 401],
    ['HTTP error: 503', 503],
    ['"statusCode":429', 429],
    ['401 Incorrect API key', 401],
    ['API Error: 529 {}', 529],
    ['(HTTP 401).', 401],
  ])('finds the status in: %s', (text, status) => expect(findStatus(text)).toBe(status));

  it.each(['wrote 500 lines', 'port 4010', 'line 404'])('finds none in: %s', (text) => expect(findStatus(text)).toBeNull());
});

/** Wednesday, 2025-11-05 12:00 UTC. */
const AT = Date.UTC(2025, 10, 5, 12, 0);
const at = (text: string, zone = 'UTC'): string | undefined => {
  const time = parseResetAt(text, AT, zone);
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe('parseResetAt', () => {
  it.each([
    ['Claude AI usage limit reached|1762365600', '2025-11-05T18:00:00.000Z'],
    ['{"type":"usage_limit_reached","resets_at":1762365600}', '2025-11-05T18:00:00.000Z'],
    ['resetsAt: 1762365600000', '2025-11-05T18:00:00.000Z'],
  ])('reads an epoch: %s', (text, expected) => expect(at(text)).toBe(expected));

  it.each([
    ["You've hit your usage limit. Try again in 2 hours 5 minutes.", '2025-11-05T14:05:00.000Z'],
    ['try again in 3 days 4 hours 12 minutes', '2025-11-08T16:12:00.000Z'],
    ['Your quota will reset after 12h34m5s.', '2025-11-06T00:34:05.000Z'],
    ['Limit resets in: 3h 2m', '2025-11-05T15:02:00.000Z'],
    ['try again in 1 day and 2 hours', '2025-11-06T14:00:00.000Z'],
    ['Please retry in 34.5s.', '2025-11-05T12:00:34.500Z'],
    ['"resets_in_seconds": 1800', '2025-11-05T12:30:00.000Z'],
    ['retry-after: 60', '2025-11-05T12:01:00.000Z'],
    ['"retryDelay": "90s"', '2025-11-05T12:01:30.000Z'],
  ])('reads a span: %s', (text, expected) => expect(at(text)).toBe(expected));

  it.each([
    ['limit reached ∙ resets 3pm', '2025-11-05T15:00:00.000Z'],
    ['limit reached, resets 3am', '2025-11-06T03:00:00.000Z'],
    ['resets at 12am', '2025-11-06T00:00:00.000Z'],
    ['resets 3:30pm (America/New_York)', '2025-11-05T20:30:00.000Z'],
    ["You've hit your limit · resets 3pm (Europe/Berlin)", '2025-11-05T14:00:00.000Z'],
    ['try again at 10:41 PM.', '2025-11-05T22:41:00.000Z'],
    ['resets at 15:00 UTC', '2025-11-05T15:00:00.000Z'],
    ['resets Mon 2:00 PM', '2025-11-10T14:00:00.000Z'],
    ['resets Wed 11am', '2025-11-12T11:00:00.000Z'],
  ])('reads a clock time: %s', (text, expected) => expect(at(text)).toBe(expected));

  it.each([
    ['try again at Nov 7th, 2025 9:20 PM.', '2025-11-07T21:20:00.000Z'],
    ['resets Jan 1, 2100, 12am (UTC)', '2100-01-01T00:00:00.000Z'],
    ['resets Nov 9, 1pm', '2025-11-09T13:00:00.000Z'],
    ['resets Nov 9 at 5am (America/Los_Angeles)', '2025-11-09T13:00:00.000Z'],
    ['resets Jan 2, 3pm', '2026-01-02T15:00:00.000Z'],
    ['available again at 2025-11-06T01:02:03Z', '2025-11-06T01:02:03.000Z'],
  ])('reads a date: %s', (text, expected) => expect(at(text)).toBe(expected));

  it('takes the local zone where the text names none', () => {
    expect(at('resets 3pm', 'Asia/Tokyo')).toBe('2025-11-06T06:00:00.000Z');
  });

  it('lands on the clock time also across a change of daylight saving time', () => {
    const before = Date.UTC(2026, 2, 28, 20, 0);
    expect(new Date(parseResetAt('resets 3pm', before, 'Europe/Berlin') ?? 0).toISOString()).toBe('2026-03-29T13:00:00.000Z');
  });

  it.each([
    'usage limit reached',
    'resets soon',
    'try again later',
    'limit reached|1500000000',
    'resets 27:99',
    'resets 3pm (Nowhere/Nothing)',
    'version 3.2 at line 12',
    'error 429 in 3 files',
  ])('finds nothing in: %s', (text) => expect(at(text)).toBeUndefined());
});
