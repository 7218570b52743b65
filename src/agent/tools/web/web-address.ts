import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { accept, type Result, refuse } from '../../../core/values/result.ts';

const MAX_LENGTH = 4000;
const ADVICE = 'Give an address of the public web, such as https://example.org/page.';

/**
 * Looks at an address before anything is looked up: http and https only, no names and passwords, no number in another spelling than four decimals,
 * nothing private. Names are judged again by what they lead to (`resolvePublic`).
 */
export function checkWebUrl(text: string, allowedPrivateHosts: readonly string[]): Result<URL> {
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url === null) return refuseAddress('is no address of the web');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuseAddress(`is ${url.protocol.slice(0, 20)}, and only http and https are allowed`);
  if (url.username !== '' || url.password !== '') return refuseAddress('has a name or a password in it');
  const host = toHost(url);
  if (isAllowedPrivate(url, allowedPrivateHosts)) return accept(url);
  if (isIP(host) === 4 && !writesHost(text, host)) return refuseAddress('writes an internet address in an unusual way');
  if (isIP(host) !== 0 && !isPublicAddress(host))
    return refuseAddress('leads to a private or local network, which is not reachable from here');
  if (/^(?:.*\.)?(?:localhost|local|internal|localdomain|home\.arpa)\.?$/.test(host))
    return refuseAddress('leads to a private or local network');
  return accept(url);
}

/** The host without the brackets of IPv6. */
function toHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** True for a private `host:port` that the person has allowed. */
function isAllowedPrivate(url: URL, allowedPrivateHosts: readonly string[]): boolean {
  return allowedPrivateHosts.includes(`${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`);
}

/** Whether the number stands in the text as it is: `2130706433`, `0x7f.1`, `0177.0.0.1` and full-width digits do not. */
function writesHost(text: string, host: string): boolean {
  const authority = /^[a-z]+:[/\\]*([^/\\?#]*)/i.exec(text.trim())?.[1] ?? '';
  return authority.replace(/:\d*$/, '') === host;
}

function refuseAddress(why: string): Result<URL> {
  return refuse({ reason: `The address ${why}.`, advice: ADVICE });
}

/** Public by their number, but answered by the machine's own cloud: Azure's WireServer. */
const METADATA = ['168.63.129.16'];
/** RFC 4291: what is given out as global unicast. The rest of IPv6 is reserved, or leads to IPv4 by some translation. */
const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');
const GLOBAL_BITS = 3;

/** True for an address of the public internet; false for what is no address, and for all that is private, local, shared, reserved, or translated. */
function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && !METADATA.includes(address.toString());
  return address.range() === 'unicast' && address.match(GLOBAL_IPV6, GLOBAL_BITS);
}

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Asks which addresses a name leads to. */
export type Resolve = (hostname: string) => Promise<readonly HostAddress[]>;

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
): Promise<Result<readonly HostAddress[]>> {
  const host = toHost(url);
  const addresses = await findAddresses(host, resolve, signal);
  if (addresses === null || addresses.length === 0)
    return refuse({ reason: `${host} was not found.`, advice: 'Check the spelling, or look for another page.' });
  if (isAllowedPrivate(url, allowedPrivateHosts) || addresses.every(({ address }) => isPublicAddress(address))) return accept(addresses);
  return refuse({
    reason: `${host} leads to a private or local network, which is not reachable from here.`,
    advice: 'Give an address of the public web.',
  });
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
