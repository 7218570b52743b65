import { createHmac } from 'node:crypto';
import type { Json } from '../core/values/json.ts';

interface NewsPost {
  readonly url: string;
  /** What the body is signed with; `null`: it is not. */
  readonly secret: string | null;
  readonly body: Json;
  /** Ends it. */
  readonly abort?: AbortSignal;
  /** How long the answer may take; 10 seconds by default. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * Posts news as JSON, once. With a secret the header `X-Ralph-Signature: sha256=…` has the HMAC-SHA256 of the body, in hexadecimal. No redirect is followed: the
 * news are for that address alone. Never rejects.
 *
 * @returns what went wrong, in words, or `null`. The address is named without its path, which may be secret
 */
export async function postNews({ url, secret, body, abort, timeoutMs = TIMEOUT_MS }: NewsPost): Promise<string | null> {
  const text = JSON.stringify(body);
  const signature = secret === null ? {} : { 'X-Ralph-Signature': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}` };
  const limit = AbortSignal.timeout(timeoutMs);
  const failed = (why: string): string => `${toOrigin(url)} could not be told the news (${why}).`;
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'ralph', ...signature },
      body: text,
      redirect: 'manual',
      signal: abort === undefined ? limit : AbortSignal.any([abort, limit]),
    });
    await answer.body?.cancel();
    return answer.ok ? null : failed(`HTTP ${answer.status}`);
  } catch (error) {
    if (limit.aborted) return failed('no answer in time');
    return failed(abort?.aborted === true ? 'stopped' : toCause(error));
  }
}

/** What the network said; its words may hold no more than a code. */
function toCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z_]{1,40}$/.test(code) ? code : 'it cannot be reached';
}

function toOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'The address';
}
