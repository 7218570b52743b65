import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Every page for people, by its path from the root. */
export const PAGES: readonly string[] = [
  'README.md',
  'AGENTS.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...['bench', 'docs', 'examples', 'fixtures', 'presets'].flatMap(listPages),
];

/** A fenced block of a page: its language, the file name behind the language (or nothing), and what is in it. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly name: string;
  readonly text: string;
}

/** A relative link: the page that it leads to and the heading there, each empty where it is left out. */
export interface Link {
  readonly page: string;
  readonly line: number;
  readonly target: string;
  readonly anchor: string;
}

const FENCE = /^([ \t]*)```([^\s`]*)([^\n`]*)\n([\s\S]*?)^[ \t]*```[ \t]*$/gm;

/** The text of a page. */
export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The fenced blocks of a text that is, or could be, a page. */
export function listBlocks(page: string, text: string = readPage(page)): readonly Block[] {
  return [...text.matchAll(FENCE)].map(({ 1: indent = '', 2: language = '', 3: name = '', 4: inner = '', index }) => ({
    page,
    line: toLine(text, index),
    language,
    name: name.trim(),
    text: inner.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The relative links of a page, outside of code. */
export function listLinks(page: string, text: string = readPage(page)): readonly Link[] {
  const prose = withoutCode(text).replaceAll(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length));
  return [...prose.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)|^\[[^\]]+\]: (\S+)/gm)].flatMap(({ 1: inline, 2: named, index }) => {
    const [path = '', anchor = ''] = (inline ?? named ?? '').split('#');
    if (/^[a-z]+:/.test(path)) return [];
    return [{ page, line: toLine(prose, index), target: path === '' ? page : posix.join(posix.dirname(page), path), anchor }];
  });
}

/** The names by which the headings of a page can be linked to, as GitHub makes them. */
export function listAnchors(text: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(text).matchAll(/^#{1,6}[ \t]+(.+?)[ \t]*#*$/gm)].map(([, heading = '']) => {
    const slug = toSlug(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** Lower case, spaces become hyphens, everything but letters, digits, `_` and `-` is dropped; of a link only its words count. */
function toSlug(heading: string): string {
  const words = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  return words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** The same text with its fenced blocks emptied, so that lines stay where they are. */
function withoutCode(text: string): string {
  return text.replaceAll(FENCE, (block) => block.replaceAll(/[^\n]/g, ''));
}

function toLine(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function listPages(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md') && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}
