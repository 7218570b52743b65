import { type HtmlPage, readHtml } from './read-html.ts';

/** Turning a page into Markdown holds up everything else for as long as it takes: what is larger than pages are is read as plain text. */
const maxLength = 800_000;
const maxTags = 15_000;
const maxDepth = 200;

/**
 * A page as Markdown, without scripts, styles and pictures in its text.
 *
 * @param url where the page is: links that say only a part of their address are completed by it
 */
export async function htmlToMarkdown(html: string, url: URL): Promise<string> {
  const page = await readHtml(html);
  const { title } = page;
  const markdown = isOrdinary(page) ? await convert(page, url) : page.text;
  return title === '' || markdown.startsWith(`# ${title}`) ? markdown : `# ${title}\n\n${markdown}`;
}

function isOrdinary({ body, depth, tags }: HtmlPage): boolean {
  return body.length <= maxLength && depth <= maxDepth && tags <= maxTags;
}

async function convert({ body, text }: HtmlPage, url: URL): Promise<string> {
  // Loaded where a page is turned over, not where a tool is listed.
  const { default: Turndown } = await import('turndown');
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  service.addRule('link', {
    filter: 'a',
    replacement: (content, node) => toLink(content, node as unknown as Attributes, url),
  });
  service.addRule('picture', { filter: 'img', replacement: (_, node) => toPicture(node as unknown as Attributes) });
  try {
    return service.turndown(body).trim();
  } catch {
    // Some pages are stranger than the library expects.
    return text;
  }
}

interface Attributes {
  readonly getAttribute: (name: string) => string | null;
}

function toLink(content: string, node: Attributes, url: URL): string {
  const href = node.getAttribute('href') ?? '';
  const text = content.trim();
  if (text === '' || href === '' || href.startsWith('#') || !URL.canParse(href, url.href)) return text;
  const target = new URL(href, url);
  return target.protocol === 'http:' || target.protocol === 'https:' ? `[${text}](${target.href})` : text;
}

/** What a picture says; where it is helps nobody who reads. */
function toPicture(node: Attributes): string {
  const text = (node.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `[picture: ${text.slice(0, 200)}]`;
}
