import type { Environment } from '../../core/values/environment.ts';
import { RalphError } from '../../core/values/errors.ts';
import { hasErrors, quote } from '../findings/diagnostics.ts';
import {
  createPseudoFile,
  createSourceFile,
  type Diagnostic,
  type LocatedEntry,
  type LocatedMap,
  type LocatedValue,
  type Place,
  type SourceFile,
  toDiagnostic,
} from '../findings/located.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { CONFIG_VARIABLES } from './overrides.ts';

/** A setting that was given outside of any file, as a configuration with nothing else in it. */
export interface SettingLayer {
  /** `null` where the value cannot be read. */
  readonly root: LocatedMap | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** No setting is deeper. */
const MAX_SEGMENTS = 20;
/** One name of a key path; a name with other characters in it stands in quotes. */
const SEGMENT = /([A-Za-z0-9_-]+|"[^"]*")([.=])/y;

/**
 * Reads `-c key.path=value`: any setting, its value as YAML. An empty value takes a setting away.
 *
 * @throws RalphError `assignment-invalid` (exit code 2) where there is no key path before the `=`
 */
export function readAssignment(text: string, cwd: string): SettingLayer {
  const file = createPseudoFile('assignment', `-c ${text}`, text, cwd);
  const path = readKeyPath(file);
  if (path === null) {
    throw new RalphError({
      code: 'assignment-invalid',
      what: `-c ${quote(text)} is no setting.`,
      fix: 'Write its key with dots, then `=` and the value: -c event_loop.max_iterations=20, -c \'prices."gpt-4.1".input=2\'.',
      exitCode: 2,
    });
  }
  return toLayer(path.segments, file, path.valueStart);
}

const PREFIX = 'RALPH_CONFIG_';
const SHORT_NAMES: readonly string[] = Object.values(CONFIG_VARIABLES);

/**
 * Reads the variables `RALPH_CONFIG_<SECTION>__<KEY>`, such as `RALPH_CONFIG_EVENT_LOOP__MAX_ITERATIONS`: two underscores stand for the dot of the
 * key path, letters become small ones. Empty ones count as not set; the short names of {@link CONFIG_VARIABLES} are not read here.
 */
export function readVariableLayers(env: Environment, cwd: string): readonly SettingLayer[] {
  const names = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !SHORT_NAMES.includes(name) && (env[name] ?? '') !== '');
  return names.sort().map((name) => {
    const file = createPseudoFile('variable', name, `${name}=${env[name] ?? ''}`, cwd);
    const key = { file, start: 0, end: name.length };
    const segments = name
      .slice(PREFIX.length)
      .toLowerCase()
      .split('__')
      .slice(0, MAX_SEGMENTS)
      .map((segment) => ({ name: segment, key }));
    return toLayer(segments, file, name.length + 1);
  });
}

interface KeySegment {
  readonly name: string;
  readonly key: Place;
}

function readKeyPath(file: SourceFile): { readonly segments: readonly KeySegment[]; readonly valueStart: number } | null {
  const segments: KeySegment[] = [];
  for (let start = 0; ; ) {
    SEGMENT.lastIndex = start;
    const [match, written = '', mark] = SEGMENT.exec(file.text) ?? [];
    if (match === undefined || segments.length === MAX_SEGMENTS) return null;
    segments.push({ name: written.replaceAll('"', ''), key: { file, start, end: start + written.length } });
    start += match.length;
    if (mark === '=') return { segments, valueStart: start };
  }
}

function toLayer(segments: readonly KeySegment[], file: SourceFile, valueStart: number): SettingLayer {
  const { value, diagnostics } = parseLooseValue(file, valueStart);
  if (value === null) return { root: null, diagnostics };
  const whole = { file, start: 0, end: file.text.length };
  const nested = segments.reduceRight<LocatedValue>(
    (inner, { name, key }) => ({ kind: 'map', entries: new Map<string, LocatedEntry>([[name, { key, value: inner }]]), place: whole }),
    value,
  );
  return { root: nested.kind === 'map' ? nested : null, diagnostics };
}

/** A value as it was typed, and what is wrong with it; `null` where it cannot be read. */
interface LooseValue {
  readonly value: LocatedValue | null;
  readonly diagnostics: readonly Diagnostic[];
}

const LOOSE_PREFIX = 'x: ';

/**
 * Reads a value that a person typed outside of a file, as YAML: a number, `true`, a text, `[a, b]`, `{a: b}`, `"…"`; nothing at all is an empty
 * value. What YAML would read otherwise only by accident (a comment, an alias, a second `:`, several lines) is taken as the text that it looks like.
 *
 * @param file its text from `start` on is the value
 */
function parseLooseValue(file: SourceFile, start: number): LooseValue {
  const text = file.text.slice(start);
  if (isPlainWords(text)) {
    return { value: { kind: 'scalar', value: text, written: text, place: { file, start, end: file.text.length } }, diagnostics: [] };
  }
  const { root, diagnostics } = parseYaml(createSourceFile(file.name, file.folder, LOOSE_PREFIX + text));
  const offset = start - LOOSE_PREFIX.length;
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

/** Moves a finding to its place in the file that the text came from; its related places are left out. */
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
