import { findSearchKeyName, parseJson, RalphError, type SearchSpec } from '../../core/index.ts';
import { cutLine } from '../output-cap.ts';
import type { Search, SearchHit } from '../tool-context.ts';
import { type HttpAnswer, sendRequest } from '../tools/http-request.ts';
import { SEARCH_DIALECTS, type SearchDialect } from './search-providers.ts';

const maxBytes = 2_000_000;
const MAX_SAID = 200;

/**
 * What `web_search` asks. The address is the provider's own or the one of the configuration, and nobody else is asked: redirects are not followed,
 * and the key goes into a header of that one request.
 *
 * @param env where the key is
 */
export function createSearch(spec: SearchSpec, env: Readonly<Record<string, string>>): Search {
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
      const sent = await sendRequest({ ...request, headers, maxBytes, signal });
      if ('problem' in sent) throw toFailure(`${provider}: ${sent.problem}.`, 'Try again later, or go on without the web.');
      return readAnswer(provider, dialect, sent.answer);
    },
  };
}

/** What could not stand in a header is no key. */
function toKey(value: string | undefined): string | null {
  const key = value?.trim() ?? '';
  return /^[\x21-\x7e]+$/.test(key) ? key : null;
}

function readAnswer(provider: string, dialect: SearchDialect, { status, body }: HttpAnswer): readonly SearchHit[] {
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
