import { accept, type Result, refuse } from '../../../core/values/result.ts';
import { type HttpAnswer, sendRequest } from './http-request.ts';
import { checkWebUrl, type Resolve, resolvePublic } from './web-address.ts';

export interface FetchOrder {
  readonly url: string;
  readonly resolve: Resolve;
  readonly allowedPrivateHosts: readonly string[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called before each request; a text refuses it. */
  readonly beforeRequest?: (host: string) => string | null;
}

/** What a page said, or where it sends the reader to another host. */
export type Fetched =
  | { readonly kind: 'answer'; readonly url: URL; readonly answer: HttpAnswer }
  | { readonly kind: 'elsewhere'; readonly url: URL };

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
const HEADERS = {
  'user-agent': 'ralph-hats (web_fetch)',
  accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5',
};

/**
 * Fetches a page of the public web. Every address on the way is checked: as text, by what its name leads to, and the connection goes to the very
 * address that was checked. Redirects are followed on the same host only; another host is for the caller to decide about. Never rejects.
 */
export async function safeFetch(order: FetchOrder): Promise<Result<Fetched>> {
  let checked = checkWebUrl(order.url, order.allowedPrivateHosts);
  for (let round = 0; round <= MAX_REDIRECTS; round += 1) {
    if (!checked.ok) return checked;
    const url = checked.value;
    const answered = await fetchOnce(url, order);
    if (!answered.ok) return answered;
    const answer = answered.value;
    if (!REDIRECTS.includes(answer.status)) return accept({ kind: 'answer', url, answer });
    const location = answer.header('location') ?? '';
    if (!URL.canParse(location, url.href)) return refuseRedirect('to nowhere');
    checked = checkWebUrl(toAbsolute(location, url), order.allowedPrivateHosts);
    if (!checked.ok) return checked;
    if (checked.value.host !== url.host) return accept({ kind: 'elsewhere', url: checked.value });
    if (url.protocol === 'https:' && checked.value.protocol === 'http:') return refuseRedirect('from https to http, which is not followed');
  }
  return refuseRedirect(`more than ${MAX_REDIRECTS} times`);
}

async function fetchOnce(
  url: URL,
  { beforeRequest, resolve, allowedPrivateHosts, maxBytes, signal }: FetchOrder,
): Promise<Result<HttpAnswer>> {
  const reason = beforeRequest?.(url.host) ?? null;
  if (reason !== null) return refuse({ reason, advice: 'Go on with what you have, or ask another site.' });
  const addresses = await resolvePublic(url, resolve, allowedPrivateHosts, signal);
  if (!addresses.ok) return signal.aborted ? refuse({ ...addresses.refused, reason: `${url.host} was not found in time.` }) : addresses;
  const sent = await sendRequest({ url, method: 'GET', headers: HEADERS, addresses: addresses.value, maxBytes, signal });
  return sent.ok ? sent : refuse({ reason: `${url.host}: ${sent.refused}.`, advice: 'Try another page, or go on without.' });
}

function refuseRedirect(where: string): Result<never> {
  return refuse({ reason: `The page redirects ${where}.`, advice: 'Look for the page elsewhere.' });
}

/** As written where it is whole, so that its spelling can be judged; else put together. */
function toAbsolute(location: string, base: URL): string {
  return URL.canParse(location) ? location : new URL(location, base).href;
}

/** Lets a few requests per minute through to each host. */
interface HostLimiter {
  /** Zero, and the request is counted; else how long to wait before the next. */
  readonly take: (host: string) => number;
}

const WINDOW_MS = 60_000;
const MAX_HOSTS = 1000;

/**
 * @param perMinute requests to one host
 * @param now milliseconds of any clock that only goes forward
 */
export function createHostLimiter(perMinute: number, now: () => number = () => performance.now()): HostLimiter {
  const times = new Map<string, readonly number[]>();
  return {
    take: (host) => {
      const at = now();
      const recent = (times.get(host) ?? []).filter((time) => at - time < WINDOW_MS);
      const [first] = recent;
      // Taken out and put in again, so that the map begins with whoever was asked least recently.
      times.delete(host);
      times.set(host, recent);
      for (const [oldest] of times) if (times.size > MAX_HOSTS) times.delete(oldest);
      if (first !== undefined && recent.length >= perMinute) return WINDOW_MS - (at - first);
      times.set(host, [...recent, at]);
      return 0;
    },
  };
}
