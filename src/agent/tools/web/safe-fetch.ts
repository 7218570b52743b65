import { type HttpAnswer, sendRequest } from './http-request.ts';
import { checkWebUrl, type Resolve, resolvePublic, type WebUrlVerdict } from './web-address.ts';

export interface FetchOrder {
  readonly url: string;
  readonly resolve: Resolve;
  readonly allowedPrivateHosts: readonly string[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called before each request; a text refuses it. */
  readonly beforeRequest?: (host: string) => string | null;
}

/** What a page said; where it sends the reader to another host; or why there is nothing. */
export type FetchVerdict =
  | { readonly kind: 'answer'; readonly url: URL; readonly answer: HttpAnswer }
  | { readonly kind: 'elsewhere'; readonly url: URL }
  | { readonly kind: 'failed'; readonly problem: string; readonly advice: string };

const mostRedirects = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
const HEADERS = {
  'user-agent': 'ralph-hats (web_fetch)',
  accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5',
};

/**
 * Fetches a page of the public web. Every address on the way is checked: as text, by what its name leads to, and the connection goes to the very
 * address that was checked. Redirects are followed on the same host only; another host is for the caller to decide about. Never rejects.
 */
export async function safeFetch(order: FetchOrder): Promise<FetchVerdict> {
  let checked: WebUrlVerdict = checkWebUrl(order.url, order.allowedPrivateHosts);
  for (let round = 0; round <= mostRedirects; round += 1) {
    if ('refused' in checked) return failed(checked.refused, checked.advice);
    const { url } = checked;
    const step = await fetchOnce(url, order);
    if ('kind' in step) return step;
    checked = checkWebUrl(step.next, order.allowedPrivateHosts);
    if ('url' in checked && checked.url.host !== url.host) return { kind: 'elsewhere', url: checked.url };
    if ('url' in checked && url.protocol === 'https:' && checked.url.protocol === 'http:') {
      return failed('The page redirects from https to http, which is not followed.', 'Look for the page elsewhere.');
    }
  }
  return failed(`The page redirects more than ${mostRedirects} times.`, 'Look for the page elsewhere.');
}

async function fetchOnce(url: URL, order: FetchOrder): Promise<FetchVerdict | { readonly next: string }> {
  const objection = order.beforeRequest?.(url.host) ?? null;
  if (objection !== null) return failed(objection, 'Go on with what you have, or ask another site.');
  const found = await resolvePublic(url, order.resolve, order.allowedPrivateHosts, order.signal);
  if ('refused' in found) return failed(order.signal.aborted ? `${url.host} was not found in time.` : found.refused, found.advice);
  const { addresses } = found;
  const sent = await sendRequest({ url, method: 'GET', headers: HEADERS, addresses, maxBytes: order.maxBytes, signal: order.signal });
  if ('problem' in sent) return failed(`${url.host}: ${sent.problem}.`, 'Try another page, or go on without.');
  const { answer } = sent;
  if (!REDIRECTS.includes(answer.status)) return { kind: 'answer', url, answer };
  const location = answer.header('location') ?? '';
  if (!URL.canParse(location, url.href)) return failed('The page redirects to nowhere.', 'Look for the page elsewhere.');
  return { next: toAbsolute(location, url) };
}

/** As written where it is whole, so that its spelling can be judged; else put together. */
function toAbsolute(location: string, base: URL): string {
  return URL.canParse(location) ? location : new URL(location, base).href;
}

function failed(problem: string, advice: string): FetchVerdict {
  return { kind: 'failed', problem, advice };
}

/** Lets a few requests per minute through to each host. */
interface HostLimiter {
  /** Zero, and the request is counted; else how long to wait before the next. */
  readonly take: (host: string) => number;
}

const windowMs = 60_000;
const maxHosts = 1000;

/**
 * @param perMinute requests to one host
 * @param now milliseconds of any clock that only goes forward
 */
export function createHostLimiter(perMinute: number, now: () => number = () => performance.now()): HostLimiter {
  const times = new Map<string, readonly number[]>();
  return {
    take: (host) => {
      const at = now();
      const recent = (times.get(host) ?? []).filter((time) => at - time < windowMs);
      const [first] = recent;
      // Taken out and put in again, so that the map begins with whoever was asked least recently.
      times.delete(host);
      times.set(host, recent);
      for (const [oldest] of times) if (times.size > maxHosts) times.delete(oldest);
      if (first !== undefined && recent.length >= perMinute) return windowMs - (at - first);
      times.set(host, [...recent, at]);
      return 0;
    },
  };
}
