import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './check-address.ts';
import { isAllowedPrivate, toHost } from './check-web-url.ts';

/** An address that a name leads to. */
export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Asks which addresses a name leads to. */
export type Resolve = (hostname: string) => Promise<readonly HostAddress[]>;

export type ResolveVerdict = { readonly addresses: readonly HostAddress[] } | { readonly refused: string; readonly advice: string };

/** The machine's own way. */
export const resolveBySystem: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/**
 * Looks up where an address leads, once. The connection is then made to exactly these addresses: a name that leads elsewhere when it is asked a
 * second time (DNS rebinding) gains nothing. One private address among them is reason enough to refuse.
 */
export async function resolvePublic(
  url: URL,
  resolve: Resolve,
  allowedPrivateHosts: readonly string[],
  signal: AbortSignal,
): Promise<ResolveVerdict> {
  const host = toHost(url);
  const addresses = await findAddresses(host, resolve, signal);
  if (addresses === null || addresses.length === 0)
    return { refused: `${host} was not found.`, advice: 'Check the spelling, or look for another page.' };
  if (isAllowedPrivate(url, allowedPrivateHosts) || addresses.every(({ address }) => isPublicAddress(address))) return { addresses };
  return {
    refused: `${host} leads to a private or local network, which is not reachable from here.`,
    advice: 'Give an address of the public web.',
  };
}

async function findAddresses(host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly HostAddress[] | null> {
  const version = isIP(host);
  if (version !== 0) return [{ address: host, family: version === 6 ? 6 : 4 }];
  // The system's lookup cannot be stopped: it is only no longer waited for.
  const stopped = new Promise<null>((done) => signal.addEventListener('abort', () => done(null), { once: true }));
  try {
    return signal.aborted ? null : await Promise.race([resolve(host), stopped]);
  } catch {
    return null;
  }
}
