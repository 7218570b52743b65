import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyError } from './classify-error.ts';

const NOW = 1_000_000_000_000;
const classify = (error: unknown) => classifyError(error, { isAborted: false, now: NOW });
const http = (statusCode: number, responseBody = '', responseHeaders = {}) =>
  Object.assign(new Error('refused'), { statusCode, responseBody, responseHeaders });

describe('what a failed call means', () => {
  it.each([
    [http(401), 'auth'],
    [http(403), 'auth'],
    [http(400, 'API key not valid. Please pass a valid API key.'), 'auth'],
    [http(402), 'limit'],
    [http(429), 'transient'],
    [http(429, '{"error":{"code":"insufficient_quota"}}'), 'limit'],
    [http(429, '', { 'anthropic-ratelimit-unified-status': 'rejected' }), 'limit'],
    [http(400, 'Your credit balance is too low'), 'limit'],
    [http(408), 'transient'],
    [http(500), 'transient'],
    [http(529), 'transient'],
    [http(400, 'prompt is too long: 210000 tokens > 200000 maximum'), 'context-overflow'],
    [http(400, '{"error":{"code":"context_length_exceeded"}}'), 'context-overflow'],
    [http(400, 'The input token count (1200000) exceeds the maximum number of tokens allowed'), 'context-overflow'],
    [http(413), 'context-overflow'],
    [http(400, 'messages.1: tool_use ids must be unique'), 'bad-request'],
    [http(404, 'model: nothing'), 'bad-request'],
    [Object.assign(new Error('Cannot connect to API'), { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }), 'transient'],
    [new TypeError('terminated'), 'transient'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'transient'],
    [Object.assign(new Error('bad JSON'), { name: 'AI_JSONParseError' }), 'transient'],
    [new Error('something else'), 'other'],
    [undefined, 'other'],
  ])('%# is %s', (error, expected) => {
    expect(classify(error).class).toBe(expected);
  });

  it('is a stop where the turn was stopped', () => {
    expect(classifyError(http(500), { isAborted: true, now: NOW })).toEqual({ class: 'aborted', message: 'stopped' });
  });

  it.each([
    [{ 'retry-after': '12' }, '', 12_000],
    [{ 'Retry-After-Ms': '250' }, '', 250],
    [{ 'retry-after': new Date(NOW + 30_000).toUTCString() }, '', 30_000],
    [{ 'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-reset': String(NOW / 1000 + 60) }, '', 60_000],
    [{}, '{"error":{"resets_in_seconds":90}}', 90_000],
    [{}, '{"error":{"details":[{"@type":"RetryInfo","retryDelay":"17s"}]}}', 17_000],
    [{ 'retry-after': 'soon' }, 'x', undefined],
  ])('%j %s asks to wait', (headers, body, expected) => {
    expect(classify(http(429, body, headers)).retryAfterMs).toBe(expected);
  });

  it.each([
    [Object.assign(http(404, '{"detail":"no model m"}'), { message: 'Not Found' }), 'HTTP 404: Not Found: {"detail":"no model m"}'],
    [Object.assign(http(401, '{"error":{"message":"bad key"}}'), { message: 'Unauthorized' }), 'HTTP 401: Unauthorized: bad key'],
    [Object.assign(http(401, '{"error":{"message":"bad key"}}'), { message: 'bad key' }), 'HTTP 401: bad key'],
  ])('says what the server says, whatever its form', (error, message) => {
    expect(classify(error).message).toBe(message);
  });

  it('is told in one line, whatever was thrown', () => {
    fc.assert(
      fc.property(fc.anything(), (error) => {
        const { message } = classify(error);
        expect(message).toMatch(/^\S.*$/s);
        expect(message).not.toContain('\n');
        expect(message.length).toBeLessThanOrEqual(1000);
      }),
    );
  });
});
