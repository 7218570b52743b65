import type { Document } from 'yaml';
import type { YamlLibrary } from './yaml-library.ts';

/** What the library says about a mistake in a text. */
export interface YamlError {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [start: number, end: number];
}

/** What was opened and not closed, and where. */
export interface OpenMark {
  /** `[`, `{`, `"` or `'`. */
  readonly mark: string;
  readonly start: number;
  /** True where the end is there, and lines up to it are not indented enough. */
  readonly isOutdented: boolean;
}

const MARKS: readonly (readonly [begin: string, mark: string, end: string])[] = [
  ['Flow sequence ', '[', ']'],
  ['Flow map ', '{', '}'],
  ['Missing closing "', '"', '"'],
  ["Missing closing '", "'", "'"],
];

/** The mark that a mistake is about, where it is one that was never closed: the library tells where the end was missed. */
export function findOpenMark(error: YamlError, document: Document.Parsed, text: string, library: YamlLibrary): OpenMark | null {
  const kind = MARKS.find(([begin]) => error.message.startsWith(begin));
  if (kind === undefined || (error.code !== 'BAD_INDENT' && error.code !== 'MISSING_CHAR')) return null;
  const [, mark, end] = kind;
  let start = -1;
  library.visit(document, {
    Node: (_, { range }) => {
      if (range?.[1] === error.pos[0] && text[range[0]] === mark) start = range[0];
    },
  });
  return start < 0 ? null : { mark, start, isOutdented: beginsLaterLine(text.slice(error.pos[0]), mark, end) };
}

/** True if the end begins a line before another mark of the kind is opened. */
function beginsLaterLine(rest: string, mark: string, end: string): boolean {
  const [before = ''] = rest.split(mark, 1);
  return mark !== end && before.split('\n').some((line) => line.trimStart().startsWith(end));
}
