import { Refused } from './refused.ts';

/** What is looked at before anything of a request is done. */
export interface RequestHead {
  /** As it came: path and query. */
  readonly url: string;
  /** Every header `Host` of the request, as it came. */
  readonly hosts: readonly string[];
  readonly origin: string | undefined;
  /** What a browser says of where the request comes from: `Sec-Fetch-Site`. */
  readonly site: string | undefined;
}

/**
 * The values of `Host` that are ours.
 *
 * @param address an IP address that is listened on
 */
export function toOwnHosts(address: string, port: number): readonly string[] {
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', address.includes(':') ? `[${address}]` : address]);
  // Browsers leave the port out where it is that of HTTP.
  return [...names].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

/**
 * Refuses what does not come from our own page. The host is looked at first: a page whose name was made to point here sends no `Origin` where it only reads.
 *
 * @throws Refused
 */
export function checkRequest({ url, hosts, origin, site }: RequestHead, ownHosts: readonly string[]): void {
  const [host = ''] = hosts;
  if (hosts.length !== 1 || !ownHosts.includes(host))
    throw new Refused(421, 'web-host', 'This server is not called that.', {
      why: 'A page of somebody else could have its name point here.',
      fix: `Open it as http://${ownHosts[0]}/`,
    });
  if (origin !== undefined && origin !== `http://${host}`) throw new Refused(403, 'web-origin', 'Another page may not ask this server.');
  if (!url.startsWith('/')) throw new Refused(400, 'web-request', 'That is no path.');
  // A person may come from anywhere, but only to the page, which holds no data.
  if (url !== '/' && site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new Refused(403, 'web-origin', 'Another page may not ask this server.');
}
