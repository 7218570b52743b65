import { z } from 'zod';
import { maskControls } from '../../core/text/mask-controls.ts';
import { isRalphError, toErrorCode } from '../../core/values/errors.ts';
import { defineTool, fail, succeed, type ToolResult, type WebHit, type WebSearch } from '../tool/tool.ts';
import { cutLine, wrapUntrusted } from '../tool/tool-output.ts';

const MISSING = 'no search is configured (tools.search)';
const ADVICE = 'Fetch pages that you know with web_fetch, or go on without the web.';
const MAX_HITS = 20;
const TIMEOUT_MS = 30_000;
const MAX_TITLE_CHARACTERS = 200;
const MAX_SNIPPET_CHARACTERS = 500;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

const parameters = z.strictObject({
  query: z.string().trim().min(1).max(500).describe('What to look for.'),
  limit: z.number().int().min(1).max(MAX_HITS).default(8).describe('How many hits.'),
  domains: z
    .array(z.string().regex(DOMAIN, 'is no domain, such as example.org'))
    .max(10)
    .default([])
    .describe('Only pages of these domains and their subdomains.'),
});

type Args = z.infer<typeof parameters>;

export const webSearchTool = defineTool<Args>({
  name: 'web_search',
  group: 'web',
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
  description: 'Searches the web and returns titles, addresses and excerpts. Read a page with web_fetch.',
  parameters,
  whyMissing: ({ search }) => whyNoSearch(search),
  run: async ({ query, limit, domains }, { search, signal }): Promise<ToolResult> => {
    const missing = whyNoSearch(search);
    if (search === null || missing !== null) return fail(`The web cannot be searched: ${missing}.`, ADVICE);
    try {
      const found = await search.find({ query, limit, domains }, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
      const hits = found.filter((hit) => isWanted(hit, domains)).slice(0, limit);
      if (hits.length === 0) return succeed('Nothing was found.', { hits: 0 });
      return succeed(wrapUntrusted(hits.map(toEntry).join('\n\n'), `${hits.length} hit${hits.length === 1 ? '' : 's'}`), {
        hits: hits.length,
      });
    } catch (error) {
      if (isRalphError(error)) return fail(`The search failed. ${toLine(error.message, MAX_SNIPPET_CHARACTERS)}`, error.fix ?? ADVICE);
      return fail(`The search failed (${maskControls(toErrorCode(error))}).`, ADVICE);
    }
  },
});

function whyNoSearch(search: WebSearch | null): string | null {
  return search === null ? MISSING : search.whyMissing;
}

function isWanted({ url }: WebHit, domains: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return (
    domains.length === 0 || domains.some((domain) => hostname === domain.toLowerCase() || hostname.endsWith(`.${domain.toLowerCase()}`))
  );
}

function toEntry({ title, url, snippet }: WebHit, index: number): string {
  return [
    `${index + 1}. ${toLine(title, MAX_TITLE_CHARACTERS)}`,
    `   ${new URL(url).href}`,
    `   ${toLine(snippet, MAX_SNIPPET_CHARACTERS)}`,
  ].join('\n');
}

function toLine(text: string, maxLength: number): string {
  return cutLine(maskControls(text.replace(/\s+/g, ' ').trim()), maxLength);
}
