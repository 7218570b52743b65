import { tryOr } from '../../../core/values/result.ts';

/** Elements whose content is not meant to be read. Whatever else a head holds has no text. */
const UNREAD = new Set('script style noscript template svg iframe object canvas title'.split(' '));
/** Elements that end a line. */
const BLOCKS = new Set(
  'p div br li ul ol tr table h1 h2 h3 h4 h5 h6 section article header footer main nav aside blockquote pre hr dl dt dd form'.split(' '),
);
/** Elements that are often left open, or have no end: how deep a page is cannot be told by them. */
const OPEN = new Set('br hr img input meta link area base col embed source track wbr li p td tr'.split(' '));

interface HtmlPage {
  readonly title: string;
  /** The page without scripts, styles, comments and whatever else is not meant to be read. */
  readonly body: string;
  /** The same as plain text, with a line where a block ends. */
  readonly text: string;
  readonly tags: number;
  /** How deep elements are nested, roughly: enough to tell a page from an attack. */
  readonly depth: number;
}

/** Reads a page in one pass, whatever it looks like: its tokens only, no tree is built that could be made too deep. */
export async function readHtml(html: string): Promise<HtmlPage> {
  // Loaded where a page is read, not where a tool is listed.
  const { Tokenizer } = await import('htmlparser2');
  const reader = new HtmlReader(html);
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader);
  tokenizer.write(html);
  tokenizer.end();
  return reader.page();
}

class HtmlReader {
  readonly #html: string;
  readonly #bodyParts: string[] = [];
  readonly #textParts: string[] = [];
  readonly #titleParts: string[] = [];
  /** Where the part of the page begins that is not in the body yet. */
  #from = 0;
  /** The element that is passed over, and how often one of its name is open in it. */
  #unread: string | null = null;
  #unreadDepth = 0;
  #lastName = '';
  #titles = 0;
  #tags = 0;
  #depth = 0;
  #deepest = 0;

  constructor(html: string) {
    this.#html = html;
  }

  page(): HtmlPage {
    if (this.#unread === null) this.#bodyParts.push(this.#html.slice(this.#from));
    const title = tidy(this.#titleParts.join('')).replace(/\s+/g, ' ').slice(0, 300);
    return { title, body: this.#bodyParts.join(''), text: tidy(this.#textParts.join('')), tags: this.#tags, depth: this.#deepest };
  }

  onopentagname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    this.#lastName = name;
    if (this.#unread === name) this.#unreadDepth += 1;
    if (this.#unread !== null) return;
    if (UNREAD.has(name)) this.#passOver(name, start - 1);
    else this.#countTag(name, 1);
  }

  onselfclosingtag(end: number): void {
    // Elsewhere the slash says nothing.
    if (this.#lastName === 'svg') this.#closeUnread('svg', end);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    if (this.#unread === null) this.#countTag(name, -1);
    else this.#closeUnread(name, end);
  }

  ontext(start: number, end: number): void {
    this.#addText(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#addText(String.fromCodePoint(codePoint));
  }

  oncomment(start: number, end: number): void {
    if (this.#unread !== null) return;
    this.#bodyParts.push(this.#html.slice(this.#from, this.#html.lastIndexOf('<', start - 1)));
    this.#from = end + 1;
  }

  onattribdata(): void {}
  onattribend(): void {}
  onattribentity(): void {}
  onattribname(): void {}
  oncdata(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}

  #addText(text: string): void {
    // The first one; a picture may have another.
    if (this.#unread === 'title' && this.#titles === 1) this.#titleParts.push(text);
    else if (this.#unread === null) this.#textParts.push(text);
  }

  #countTag(name: string, step: 1 | -1): void {
    this.#tags += 1;
    if (BLOCKS.has(name)) this.#textParts.push('\n');
    if (OPEN.has(name)) return;
    this.#depth = Math.max(0, this.#depth + step);
    this.#deepest = Math.max(this.#deepest, this.#depth);
  }

  #passOver(name: string, at: number): void {
    this.#bodyParts.push(this.#html.slice(this.#from, at));
    this.#unread = name;
    this.#unreadDepth = 1;
    if (name === 'title') this.#titles += 1;
  }

  #closeUnread(name: string, at: number): void {
    if (this.#unread !== name) return;
    this.#unreadDepth -= 1;
    if (this.#unreadDepth > 0) return;
    const close = this.#html.indexOf('>', at);
    this.#unread = null;
    this.#from = close === -1 ? this.#html.length : close + 1;
  }
}

/** Lines without the white space of the source, never two empty ones. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[\t ]+/g, ' ').trim());
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}

/** Turning a page into Markdown holds everything else up meanwhile: what is larger than usual pages is read as plain text. */
const MAX_CHARACTERS = 800_000;
const MAX_TAGS = 15_000;
const MAX_DEPTH = 200;

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
  return body.length <= MAX_CHARACTERS && depth <= MAX_DEPTH && tags <= MAX_TAGS;
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
  // Some pages are stranger than the library expects.
  return tryOr(() => service.turndown(body).trim(), text);
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

/** What a picture says; its address is of no use to a reader. */
function toPicture(node: Attributes): string {
  const text = (node.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `[picture: ${text.slice(0, 200)}]`;
}
