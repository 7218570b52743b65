import { findSearchKeyName, type SearchProvider, type SearchSpec } from '../../../core/tools/tools-spec.ts';
import { RalphError } from '../../../core/values/errors.ts';
import { isJsonObject, type Json, parseJson } from '../../../core/values/json.ts';
import type { SearchOrder, WebHit, WebSearch } from '../../tool/tool.ts';
import { cutLine } from '../../tool/tool-output.ts';
import { type HttpAnswer, sendRequest } from './http-request.ts';

const MAX_BYTES = 2_000_000;
const MAX_SAID = 200;

/**
 * What `web_search` asks. The address is the provider's own or the one of the configuration; redirects are not followed, and the key goes into a
 * header of that one request.
 *
 * @param env where the key is
 */
export function createSearch(spec: SearchSpec, env: Readonly<Record<string, string>>): WebSearch {
  const { provider, baseUrl } = spec;
  const variable = findSearchKeyName(spec);
  const key = variable === null ? null : toKey(env[variable]);
  const dialect = SEARCH_DIALECTS[provider];
  const base = (baseUrl ?? dialect.baseUrl)?.replace(/\/+$/, '');
  return {
    whyMissing: variable !== null && key === null ? `no key for ${provider} in ${variable}` : null,
    find: async (order, signal) => {
      if (base === undefined) throw toFailure(`The search ${provider} has no address.`, 'A person has to set `tools.search.base_url`.');
      const request = dialect.toRequest(order, base, key);
      const headers = { accept: 'application/json', 'user-agent': 'ralph-hats (web_search)', ...request.headers };
      const sent = await sendRequest({ ...request, headers, maxBytes: MAX_BYTES, signal });
      if (!sent.ok) throw toFailure(`${provider}: ${sent.refused}.`, 'Try again later, or go on without the web.');
      return readAnswer(provider, dialect, sent.value);
    },
  };
}

/** What could not stand in a header is no key. */
function toKey(value: string | undefined): string | null {
  const key = value?.trim() ?? '';
  return /^[\x21-\x7e]+$/.test(key) ? key : null;
}

function readAnswer(provider: string, dialect: SearchDialect, { status, body }: HttpAnswer): readonly WebHit[] {
  if (status >= 300 && status < 400) {
    throw toFailure(
      `${provider} redirects (${status}), which is not followed.`,
      'A person has to set `tools.search.base_url` to where it leads.',
    );
  }
  if (status !== 200)
    throw toFailure(`${provider} refused (${status}).`, dialect.advice[status] ?? ADVICE[status] ?? 'Go on without the web.');
  const text = body.toString('utf8');
  const hits = dialect.readHits(parseJson(text) ?? null);
  if (hits !== null) return hits;
  throw toFailure(
    `${provider} answered in a form that is not understood: ${cutLine(text, MAX_SAID)}`,
    'A person has to look whether `tools.search` names the right provider and address.',
  );
}

const ADVICE: Readonly<Record<number, string>> = {
  404: 'There is no search at that address: a person has to correct `tools.search.base_url`.',
  429: 'Too much was asked in a short time: wait a little, or go on with what you have.',
};

function toFailure(what: string, fix: string): RalphError {
  return new RalphError({ code: 'search-failed', what, fix });
}

/** One request to a provider; the key is in its headers alone. */
interface SearchRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How a provider is asked, and where in its answer the hits are. */
interface SearchDialect {
  /** Absent: there is no address but one's own. */
  readonly baseUrl?: string;
  /** @param base without a slash at the end */
  readonly toRequest: (order: SearchOrder, base: string, key: string | null) => SearchRequest;
  /** `null`: the answer has another form. */
  readonly readHits: (body: Json) => readonly WebHit[] | null;
  /** What to do about a refusal that has a cause of its own here. */
  readonly advice: Readonly<Record<number, string>>;
}

const BAD_KEY = 'The key is not valid: a person has to set another.';
const USED_UP = 'The plan of the account is used up: a person has to see to it.';

/** https://docs.searxng.org/dev/search_api.html; asked for JSON, which its owner has to allow. */
const SEARXNG: SearchDialect = {
  toRequest: (order, base, key) => {
    const url = new URL(`${base}/search`);
    url.searchParams.set('q', toQuery(order));
    url.searchParams.set('format', 'json');
    return { url, method: 'GET', headers: key === null ? {} : { authorization: `Bearer ${key}` } };
  },
  readHits: (body) => toHits(isJsonObject(body) ? body['results'] : null, 'content'),
  advice: { 403: 'A person has to allow JSON there: `search.formats: [html, json]` in its settings.yml.' },
};

/** https://api-dashboard.search.brave.com/app/documentation/web-search */
const BRAVE: SearchDialect = {
  baseUrl: 'https://api.search.brave.com',
  toRequest: (order, base, key) => {
    const url = new URL(`${base}/res/v1/web/search`);
    url.searchParams.set('q', toQuery(order));
    url.searchParams.set('count', String(order.limit));
    url.searchParams.set('text_decorations', 'false');
    return { url, method: 'GET', headers: key === null ? {} : { 'x-subscription-token': key } };
  },
  // Without a hit there is no `web` at all.
  readHits: (body) => (isJsonObject(body) ? toHits(isJsonObject(body['web']) ? body['web']['results'] : [], 'description') : null),
  advice: { 401: BAD_KEY, 402: USED_UP, 403: BAD_KEY, 422: 'Ask in fewer words. If it stays so, the key is not valid.' },
};

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
const TAVILY: SearchDialect = {
  baseUrl: 'https://api.tavily.com',
  toRequest: ({ query, limit, domains }, base, key) => ({
    url: new URL(`${base}/search`),
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ query, max_results: limit, ...(domains.length === 0 ? {} : { include_domains: domains }) }),
  }),
  readHits: (body) => toHits(isJsonObject(body) ? body['results'] : null, 'content'),
  advice: { 401: BAD_KEY, 403: BAD_KEY, 432: USED_UP, 433: USED_UP },
};

const SEARCH_DIALECTS: Readonly<Record<SearchProvider, SearchDialect>> = { searxng: SEARXNG, brave: BRAVE, tavily: TAVILY };

/** Those without a field for it understand it as part of the words, as far as their engines do. */
function toQuery({ query, domains }: SearchOrder): string {
  return domains.length === 0 ? query : `${query} (${domains.map((domain) => `site:${domain}`).join(' OR ')})`;
}

function toHits(list: Json | undefined, snippet: string): readonly WebHit[] | null {
  if (!Array.isArray(list)) return null;
  return list.flatMap((item) => {
    if (!isJsonObject(item) || typeof item['url'] !== 'string') return [];
    return [{ title: toText(item['title']), url: item['url'], snippet: toText(item[snippet]) }];
  });
}

function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
