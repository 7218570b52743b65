import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Who may ask: whoever has the token, and whoever swaps a code for it. Neither is ever kept in plain form beside the token that is handed out. */
export interface Access {
  /** A code that counts once, and for {@link CODE_MS}. Of those that nobody used, the last {@link MAX_CODES} count. */
  readonly createCode: () => string;
  /** The token for a code; `null` for one that does not count. */
  readonly swapCode: (code: string) => string | null;
  /** Whether a header `Authorization` brings the token. */
  readonly admits: (authorization: string | undefined) => boolean;
}

/** How long a code counts. */
const CODE_MS = 10 * 60_000;
const MAX_CODES = 5;
const SECRET_BYTES = 32;

/**
 * @param now epoch milliseconds
 * @param token default: a new one
 */
export function createAccess(now: () => number, token: string = toSecret()): Access {
  const tokenHash = toHash(token);
  let codes: readonly { readonly hash: Buffer; readonly until: number }[] = [];
  return {
    createCode: () => {
      const code = toSecret();
      codes = [...codes, { hash: toHash(code), until: now() + CODE_MS }].slice(-MAX_CODES);
      return code;
    },
    swapCode: (code) => {
      const hash = toHash(code);
      const found = codes.filter((known) => timingSafeEqual(known.hash, hash));
      codes = codes.filter((known) => !found.includes(known));
      return found.some(({ until }) => now() < until) ? token : null;
    },
    admits: (authorization = '') => {
      const given = /^Bearer ([\x21-\x7e]{1,500})$/.exec(authorization)?.[1];
      return given !== undefined && timingSafeEqual(toHash(given), tokenHash);
    },
  };
}

function toSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Hashes are of one length, so that comparing them tells nothing of how long a guess was right. */
function toHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
