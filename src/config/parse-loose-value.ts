import { type Diagnostic, hasErrors } from './diagnostic.ts';
import type { LocatedEntry, LocatedValue } from './located-value.ts';
import { parseYaml } from './parse-yaml.ts';
import { createSourceFile, type Place, type SourceFile, toDiagnostic } from './source-file.ts';

/** A value as it was typed, and what is wrong with it; `null` where it cannot be read. */
export interface LooseValue {
  readonly value: LocatedValue | null;
  readonly diagnostics: readonly Diagnostic[];
}

const PREFIX = 'x: ';

/**
 * Reads a value that a person typed outside of a file, as YAML: a number, `true`, a text, `[a, b]`, `{a: b}`, `"…"`; nothing at all is an empty
 * value. What would be something else in YAML only by accident (a comment, an alias, a second `:`, several lines) is the text that it looks like.
 *
 * @param file the text that the value is the rest of, from `start` on
 */
export function parseLooseValue(file: SourceFile, start: number): LooseValue {
  const text = file.text.slice(start);
  if (isPlainWords(text)) {
    return { value: { kind: 'scalar', value: text, written: text, place: { file, start, end: file.text.length } }, diagnostics: [] };
  }
  const { root, diagnostics } = parseYaml(createSourceFile(file.name, file.folder, PREFIX + text));
  const offset = start - PREFIX.length;
  const findings = diagnostics.map((diagnostic) => move(diagnostic, file, offset));
  const value = root?.entries.get('x')?.value;
  return {
    value: value === undefined || hasErrors(diagnostics) ? null : relocate(value, { file, offset, done: new Map() }),
    diagnostics: findings,
  };
}

function isPlainWords(text: string): boolean {
  const trimmed = text.trimStart();
  if (/^["'[{]/.test(trimmed)) return false;
  return /^[*&!|>%@`#]|^[-?] |[\r\n\t]|\s#|:(\s|$)/.test(trimmed);
}

/** A finding of a text of one line, at its place in another one; a second place in it is left out. */
function move({ related: _, ...diagnostic }: Diagnostic, file: SourceFile, offset: number): Diagnostic {
  const clamp = (column: number): number => Math.max(0, column - 1 + offset);
  const { line: __, column, endLine: ___, endColumn, excerpt: ____, file: _____, ...finding } = diagnostic;
  return toDiagnostic({ file, start: clamp(column), end: clamp(endColumn) }, finding);
}

interface Move {
  readonly file: SourceFile;
  readonly offset: number;
  /** Aliases share what they stand for. */
  readonly done: Map<LocatedValue, LocatedValue>;
}

function relocate(value: LocatedValue, order: Move): LocatedValue {
  const known = order.done.get(value);
  if (known !== undefined) return known;
  const moved = relocatePlain(value, order);
  order.done.set(value, moved);
  return moved;
}

function relocatePlain(value: LocatedValue, order: Move): LocatedValue {
  const place = relocatePlace(value.place, order);
  if (value.kind === 'scalar') return { ...value, place };
  if (value.kind === 'list') return { ...value, items: value.items.map((item) => relocate(item, order)), place };
  const entries = [...value.entries].map(([name, entry]): [string, LocatedEntry] => [
    name,
    { key: relocatePlace(entry.key, order), value: relocate(entry.value, order) },
  ]);
  return { kind: 'map', entries: new Map(entries), place };
}

function relocatePlace({ start, end }: Place, { file, offset }: Move): Place {
  return { file, start: Math.max(0, start + offset), end: Math.max(0, end + offset) };
}
