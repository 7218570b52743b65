import { isIP } from 'node:net';
import { isPublicAddress } from './check-address.ts';

/** An address of the web that may be asked, or why not. */
export type WebUrlVerdict = { readonly url: URL } | { readonly refused: string; readonly advice: string };

const MAX_LENGTH = 4000;
const ADVICE = 'Give an address of the public web, such as https://example.org/page.';

/**
 * Looks at an address before anything is looked up: http and https only, no names and passwords, no number in another spelling than four decimals,
 * nothing private. Names are judged again by what they lead to (`resolvePublic`).
 */
export function checkWebUrl(text: string, allowedPrivateHosts: readonly string[]): WebUrlVerdict {
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url === null) return refuse('is no address of the web');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse(`is ${url.protocol.slice(0, 20)}, and only http and https are allowed`);
  if (url.username !== '' || url.password !== '') return refuse('has a name or a password in it');
  const host = toHost(url);
  if (isAllowedPrivate(url, allowedPrivateHosts)) return { url };
  if (isIP(host) === 4 && !writesHost(text, host)) return refuse('writes an internet address in an unusual way');
  if (isIP(host) !== 0 && !isPublicAddress(host)) return refuse('leads to a private or local network, which is not reachable from here');
  if (/^(?:.*\.)?(?:localhost|local|internal|localdomain|home\.arpa)\.?$/.test(host)) return refuse('leads to a private or local network');
  return { url };
}

/** The host without the brackets of IPv6. */
export function toHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** True for a private `host:port` that the person has allowed. */
export function isAllowedPrivate(url: URL, allowedPrivateHosts: readonly string[]): boolean {
  return allowedPrivateHosts.includes(`${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`);
}

/** Whether the number stands in the text as it is: `2130706433`, `0x7f.1`, `0177.0.0.1` and full-width digits do not. */
function writesHost(text: string, host: string): boolean {
  const authority = /^[a-z]+:[/\\]*([^/\\?#]*)/i.exec(text.trim())?.[1] ?? '';
  return authority.replace(/:\d*$/, '') === host;
}

function refuse(why: string): WebUrlVerdict {
  return { refused: `The address ${why}.`, advice: ADVICE };
}
