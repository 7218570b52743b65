import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { Finding } from '../core/index.ts';
import type { Diagnostic, Excerpt, ShownSpan } from './diagnostic.ts';

/** A text with a name. */
export interface SourceFile {
  /** As it is shown to people. */
  readonly name: string;
  /** The folder that relative names in it are relative to; absolute. */
  readonly folder: string;
  /** Without byte order mark. */
  readonly text: string;
  /** Offsets at which lines begin. */
  readonly lineStarts: readonly number[];
  /** True for a text that may hold a secret: findings do not show it. */
  readonly isSecret?: boolean;
  /** True for a file that a configuration names and that lies outside of its folder: whoever wrote the configuration may not be allowed to read it. */
  readonly isForeign?: boolean;
}

/** A range of a text, as offsets; the end is behind the last character. */
export interface Place {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

const MAX_EXCERPT = 160;

/** Takes a text in, its byte order mark off. */
export function createSourceFile(name: string, folder: string, text: string): SourceFile {
  const plain = text.replace(/^\uFEFF/, '');
  const lineStarts = [0];
  for (let at = plain.indexOf('\n'); at >= 0; at = plain.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { name, folder, text: plain, lineStarts };
}

/** The place in lines and columns. Of a place that spans several lines the first is taken; an empty one gets one character. */
export function toSpan(place: Place): ShownSpan {
  const { file } = place;
  const start = Math.max(0, Math.min(place.start, file.text.length));
  const line = lineAt(file, start);
  const lineStart = file.lineStarts[line - 1] ?? 0;
  const next = file.lineStarts[line];
  const lineEnd = next === undefined ? file.text.length : next - 1;
  const trimmedEnd = lineEnd > lineStart && file.text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
  const end = Math.max(start + 1, Math.min(place.end, trimmedEnd));
  const excerpt =
    file.isSecret === true || file.isForeign === true
      ? { text: '', column: 1 }
      : toExcerpt(file.text.slice(lineStart, trimmedEnd), start - lineStart);
  return { file: file.name, line, column: start - lineStart + 1, endLine: line, endColumn: end - lineStart + 1, excerpt };
}

/** The finding at a place. In a foreign file it says no more than its rule and where: words of the file could be in every other part. */
export function toDiagnostic(place: Place, finding: Finding): Diagnostic {
  return { ...(place.file.isForeign === true ? withoutWords(finding) : finding), ...toSpan(place) };
}

/** A finding that tells nothing of what stands in a file. */
export function withoutWords({ code, severity }: Finding): Finding {
  return {
    code,
    severity,
    message: `What stands there does not pass the rule \`${code}\`.`,
    why: 'The file lies outside of the folder of the configuration, so nothing of it is shown.',
    fix: `Read the rule (ralph explain ${code}), or move the file into the folder of the configuration.`,
  };
}

/** Whether a file is in none of these folders (absolute), links followed. */
export function liesOutside(path: string, folders: readonly string[]): boolean {
  const real = toReal(path);
  return !folders.some((folder) => real.startsWith(toReal(folder).replace(/[\\/]?$/, sep)));
}

function toReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function toExcerpt(line: string, at: number): Excerpt {
  const begin = line.length <= MAX_EXCERPT ? 0 : Math.max(0, at - MAX_EXCERPT / 4);
  return { text: line.slice(begin, begin + MAX_EXCERPT), column: begin + 1 };
}

/** The number of the line that holds an offset, by halving. */
function lineAt(file: SourceFile, offset: number): number {
  let low = 0;
  let high = file.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((file.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
