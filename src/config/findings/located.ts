import type { Finding } from '../../core/schema/finding.ts';
import { shorten } from '../../core/text/shorten.ts';

export interface SourceFile {
  /** As it is shown to people. */
  readonly name: string;
  /** The folder that relative names in it are relative to; absolute. */
  readonly folder: string;
  /** Without byte order mark. */
  readonly text: string;
  /** Offsets at which lines begin. */
  readonly lineStarts: readonly number[];
  /** True for a text that may hold a secret; findings do not show it. */
  readonly isSecret?: boolean;
  /** True for a file that a configuration names outside of its own folder: the author of the configuration may not be allowed to read it. */
  readonly isForeign?: boolean;
}

/** A range of a text, as offsets; the end is behind the last character. */
export interface Place {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

/** A place in a file. Lines and columns count from 1, columns in UTF-16 units; the end is behind the last character. */
export interface Span {
  /** As the user named it, or relative to the folder of the run. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A place with the text that stands there, so that it can be shown without the file. */
export interface ShownSpan extends Span {
  readonly excerpt: LineExcerpt;
}

/** What is shown of a line: at most 160 characters around the place. */
interface LineExcerpt {
  readonly text: string;
  /** The column at which the text begins. */
  readonly column: number;
}

/** What a YAML text says, each part with its place. Aliases share the part they stand for; there are no cycles. */
export type LocatedValue = LocatedScalar | LocatedList | LocatedMap;

export interface LocatedScalar {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** The text as it was written, without quotes. */
  readonly written: string;
  /** The text with `${NAME}` in it that the value came from: what a person may be shown of it. */
  readonly reference?: string;
  readonly place: Place;
}

export interface LocatedList {
  readonly kind: 'list';
  readonly items: readonly LocatedValue[];
  readonly place: Place;
}

export interface LocatedMap {
  readonly kind: 'map';
  /** In the order of the text. */
  readonly entries: ReadonlyMap<string, LocatedEntry>;
  readonly place: Place;
}

export interface LocatedEntry {
  readonly key: Place;
  readonly value: LocatedValue;
}

/** The way to a value: names of keys and numbers of list items, from the top. */
export type Path = readonly (string | number)[];

export interface Diagnostic extends Finding, ShownSpan {
  readonly related?: readonly RelatedSpan[];
}

/** Another place that a finding is about. */
export interface RelatedSpan extends ShownSpan {
  readonly message: string;
}

/** Creates a file from a text; its byte order mark is dropped. */
export function createSourceFile(name: string, folder: string, text: string): SourceFile {
  const plain = text.replace(/^\uFEFF/, '');
  const lineStarts = [0];
  for (let at = plain.indexOf('\n'); at >= 0; at = plain.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { name, folder, text: plain, lineStarts };
}

/** A setting that was given outside of any file, so that findings about it have a place: its text is what was given. */
export interface PseudoFile extends SourceFile {
  readonly origin: 'assignment' | 'flag' | 'variable';
}

const MAX_NAME = 80;

/** Creates the file of `-c key.path=value`, of `--name value`, or of `NAME=value` in the environment. Findings do not show a text that sets variables of an agent (`env`). */
export function createPseudoFile(origin: PseudoFile['origin'], name: string, text: string, cwd: string): PseudoFile {
  const isSecret = /(?:\b|_)env\b|(?:^|_)ENV(?:_|=)/.test(text);
  const plain = (isSecret ? name.replace(/=.*/s, '=***') : name).replace(/\s+/g, ' ');
  return { ...createSourceFile(shorten(plain, MAX_NAME), cwd, text), origin, ...(isSecret ? { isSecret } : {}) };
}

/** True for a setting that was given outside of any file. */
export function isPseudoFile(file: SourceFile): file is PseudoFile {
  return 'origin' in file;
}

export function rawText(place: Place): string {
  return place.file.text.slice(place.start, place.end);
}

/** Puts a finding at a place. In a foreign file it tells only its rule and the place: every other part of it could quote the file. */
export function toDiagnostic(place: Place, finding: Finding): Diagnostic {
  return { ...(place.file.isForeign === true ? withoutWords(finding) : finding), ...toSpan(place) };
}

/** The same finding without a word of what stands in the file. */
export function withoutWords({ code, severity }: Finding): Finding {
  return {
    code,
    severity,
    message: `What stands there does not pass the rule \`${code}\`.`,
    why: 'The file is outside the folder of the configuration, so its contents are not shown.',
    fix: `Read the rule (ralph explain ${code}), or move the file into the folder of the configuration.`,
  };
}

const MAX_EXCERPT = 160;

/** The place in lines and columns: of several lines the first, and at least one character. */
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

function toExcerpt(line: string, at: number): LineExcerpt {
  const begin = line.length <= MAX_EXCERPT ? 0 : Math.max(0, at - MAX_EXCERPT / 4);
  return { text: line.slice(begin, begin + MAX_EXCERPT), column: begin + 1 };
}

/** The number of the line that holds an offset, found by halving. */
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

export function createEmptyMap(place: Place): LocatedMap {
  return { kind: 'map', entries: new Map(), place };
}

/** Paths of values that were left out; each also stands for everything that held the value. */
export interface BrokenPaths {
  readonly add: (path: Path) => void;
  readonly has: (path: Path) => boolean;
}

export function createBrokenPaths(): BrokenPaths {
  const keys = new Set<string>();
  return {
    add: (path) => {
      for (let length = path.length; length > 0; length -= 1) keys.add(toPathKey(path.slice(0, length)));
    },
    has: (path) => keys.has(toPathKey(path)),
  };
}

export function toPathKey(path: Path): string {
  return path.join('\n');
}

/** `hats.builder.triggers[1]`, for people. */
export function toKeyPathText(path: Path): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
}

export function isEmptyValue(value: LocatedValue): boolean {
  return value.kind === 'scalar' && value.value === null;
}

/** What a path leads to; `undefined` where it leads nowhere. */
export function readAt(root: LocatedValue, path: Path): LocatedValue | undefined {
  let value = root;
  for (const step of path) {
    const next = stepInto(value, step);
    if (next === undefined) return undefined;
    value = next.value;
  }
  return value;
}

/**
 * The place of what a path leads to, or of the nearest part of the path that is there. `key`: of its key. `value`: of a scalar itself, and of the key of
 * a list, a map or an empty value.
 */
export function findPlace(root: LocatedValue, path: Path, part: 'key' | 'value' = 'value'): Place {
  let value = root;
  let key = root.place;
  for (const step of path) {
    const next = stepInto(value, step);
    if (next === undefined) break;
    key = next.key;
    value = next.value;
  }
  return part === 'key' ? key : toShownPlace({ key, value });
}

function stepInto(value: LocatedValue, step: string | number): LocatedEntry | undefined {
  if (value.kind === 'map') return value.entries.get(String(step));
  if (value.kind !== 'list' || typeof step !== 'number') return undefined;
  const item = value.items[step];
  return item === undefined ? undefined : { key: item.place, value: item };
}

export function toShownPlace(entry: LocatedEntry): Place {
  return entry.value.kind === 'scalar' && !isEmptyValue(entry.value) ? entry.value.place : entry.key;
}
