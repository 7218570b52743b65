/** Elements whose content nobody reads. */
const UNREAD = ['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'canvas', 'head', 'title'];
/** Elements that end a line. */
const BLOCKS =
  /^\/?(?:p|div|br|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|main|nav|aside|blockquote|pre|hr|dl|dt|dd|form|title)$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Takes out scripts, styles, comments and whatever else is not meant to be read. In one pass, whatever the page looks like. */
export function stripUnread(html: string): string {
  const lower = toAsciiLower(html);
  const kept: string[] = [];
  let from = 0;
  for (let at = lower.indexOf('<'); at !== -1; at = lower.indexOf('<', Math.max(at + 1, from))) {
    const end = findUnreadEnd(lower, at);
    if (end === null) continue;
    kept.push(html.slice(from, at));
    from = end;
    if (end >= html.length) break;
  }
  return kept.join('') + html.slice(from);
}

/** Where the element or comment at this place ends, if it is one that nobody reads; what is never closed goes to the end. */
function findUnreadEnd(lower: string, at: number): number | null {
  if (lower.startsWith('<!--', at)) return toEnd(lower, lower.indexOf('-->', at + 4), 3);
  const name = UNREAD.find((each) => lower.startsWith(each, at + 1) && /[\s/>]/.test(lower.charAt(at + 1 + each.length)));
  if (name === undefined) return null;
  const close = lower.indexOf(`</${name}`, at);
  return toEnd(lower, close === -1 ? -1 : lower.indexOf('>', close), 1);
}

function toEnd(text: string, found: number, length: number): number {
  return found === -1 ? text.length : found + length;
}

/** Only ASCII letters: other letters may change their number in lower case, and places have to stay. */
function toAsciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A page as plain text: tags out, lines where blocks end. For pages that are too large or too deep to be turned into Markdown. */
export function toPlainText(html: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let open = html.indexOf('<'); open !== -1; open = html.indexOf('<', from)) {
    parts.push(html.slice(from, open));
    const close = html.indexOf('>', open);
    if (close === -1) return finish(parts.join(''));
    const name = /^\/?[a-z][a-z0-9]*/i.exec(html.slice(open + 1, open + 20))?.[0] ?? '';
    parts.push(BLOCKS.test(name.toLowerCase()) ? '\n' : '');
    from = close + 1;
  }
  return finish(parts.join('') + html.slice(from));
}

function finish(text: string): string {
  const decoded = text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
  const lines = decoded.split('\n').map((line) => line.replace(/[\t ]+/g, ' ').trim());
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}

/** How deep elements are nested and how many there are, roughly: enough to tell a page from an attack. */
export function measureHtml(html: string): { readonly depth: number; readonly tags: number } {
  let depth = 0;
  let deepest = 0;
  let tags = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    tags += 1;
    if (VOID.has(name.toLowerCase())) continue;
    depth = slash === '/' ? Math.max(0, depth - 1) : depth + 1;
    deepest = Math.max(deepest, depth);
  }
  return { depth: deepest, tags };
}

const VOID = new Set([
  'br',
  'hr',
  'img',
  'input',
  'meta',
  'link',
  'area',
  'base',
  'col',
  'embed',
  'source',
  'track',
  'wbr',
  'li',
  'p',
  'td',
  'tr',
]);
