import { z } from 'zod';
import { maskControls } from '../../core/text/mask-controls.ts';
import { defineTool, fail, succeed, type ToolContext, type ToolResult } from '../tool/tool.ts';
import { wrapUntrusted } from '../tool/tool-output.ts';
import type { HttpAnswer } from './web/http-request.ts';
import { htmlToMarkdown, readHtml } from './web/read-html.ts';
import { createHostLimiter, safeFetch } from './web/safe-fetch.ts';
import { type Resolve, resolveBySystem } from './web/web-address.ts';

const DEFAULT_SECONDS = 30;
const MAX_SECONDS = 120;
const MAX_BYTES = 5_000_000;
const MAX_PER_MINUTE = 10;
const TEXTUAL =
  /^(?:text\/|application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|x-yaml|toml|javascript|ecmascript|x-javascript|x-sh|x-ndjson|json-seq)$)/;
const limiter = createHostLimiter(MAX_PER_MINUTE);

const parameters = z.strictObject({
  url: z.string().describe('Address of the page, http or https.'),
  format: z.enum(['markdown', 'text', 'html']).default('markdown').describe('How a page of HTML is shown.'),
  timeout: z.number().positive().max(MAX_SECONDS).default(DEFAULT_SECONDS).describe(`Seconds it may take, at most ${MAX_SECONDS}.`),
});

type Args = z.infer<typeof parameters>;

export const webFetchTool = defineTool<Args>({
  name: 'web_fetch',
  group: 'web',
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
  description:
    'Fetches one page of the public web as Markdown, plain text or HTML. Private and local addresses are refused; a redirect to another host is told, not followed; at most 10 requests a minute to one host.',
  parameters,
  run: (args, context) => fetchPage(args, context, resolveBySystem),
});

/**
 * What the tool does, with a way of its own to look up names.
 *
 * @param resolve asked once for each request; the connection goes to what it said
 */
export async function fetchPage({ url, format, timeout }: Args, context: ToolContext, resolve: Resolve): Promise<ToolResult> {
  const fetched = await safeFetch({
    url,
    resolve,
    allowedPrivateHosts: context.allowedPrivateHosts,
    maxBytes: MAX_BYTES,
    signal: AbortSignal.any([context.signal, AbortSignal.timeout(timeout * 1000)]),
    beforeRequest: (host) => refuseOften(host),
  });
  if (!fetched.ok) return fail(maskControls(fetched.refused.reason), fetched.refused.advice);
  const page = fetched.value;
  if (page.kind === 'elsewhere') {
    return fail(
      `The page is now at another host, which was not asked: ${page.url.href}`,
      'Call web_fetch with that address if you trust it.',
    );
  }
  return toResult(page.answer, page.url, format);
}

function refuseOften(host: string): string | null {
  const waitMs = limiter.take(host);
  return waitMs === 0 ? null : `${host} was asked ${MAX_PER_MINUTE} times within a minute: ask again in ${Math.ceil(waitMs / 1000)} s.`;
}

async function toResult({ status, header, body }: HttpAnswer, url: URL, format: Args['format']): Promise<ToolResult> {
  const type = (header('content-type') ?? 'text/plain').slice(0, 200);
  const kind = (type.split(';')[0] ?? '').trim().toLowerCase();
  if (!TEXTUAL.test(kind) || body.subarray(0, 8000).includes(0)) {
    return fail(
      `${url.href} is no text (${maskControls(kind)}, ${body.length} bytes).`,
      'Only text can be shown; look for a page about it.',
    );
  }
  const text = await toShownText(decode(body, type), kind, url, format);
  const wrapped = wrapUntrusted(text === '' ? '(an empty page)' : text, `${url.href} (HTTP ${status}, ${maskControls(kind)})`);
  const facts = { status, bytes: body.length };
  return status >= 400 ? { text: wrapped, isError: true, facts } : succeed(wrapped, facts);
}

async function toShownText(text: string, kind: string, url: URL, format: Args['format']): Promise<string> {
  if (format === 'html' || (kind !== 'text/html' && kind !== 'application/xhtml+xml')) return text;
  return format === 'text' ? (await readHtml(text)).text : await htmlToMarkdown(text, url);
}

/** By the character set that the server or the page itself names; UTF-8 where it names none that there is. */
function decode(body: Buffer, type: string): string {
  const named = /charset=["']?([\w:.-]+)/i.exec(type) ?? /<meta[^>]{0,200}charset=["']?([\w:.-]+)/i.exec(body.toString('latin1', 0, 2000));
  try {
    return new TextDecoder(named?.[1] ?? 'utf-8').decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
