import { RalphError } from '../core/index.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { LocatedEntry, LocatedMap, LocatedValue } from './located-value.ts';
import { CONFIG_VARIABLES } from './overrides.ts';
import { parseLooseValue } from './parse-loose-value.ts';
import { createPseudoFile } from './pseudo-file.ts';
import type { Place, SourceFile } from './source-file.ts';
import { quote } from './value-finding.ts';

/** One setting that was given outside of any file, as a configuration that holds nothing else. */
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
export function readVariableLayers(env: Readonly<Record<string, string | undefined>>, cwd: string): readonly SettingLayer[] {
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

interface Segment {
  readonly name: string;
  readonly key: Place;
}

function readKeyPath(file: SourceFile): { readonly segments: readonly Segment[]; readonly valueStart: number } | null {
  const segments: Segment[] = [];
  for (let start = 0; ; ) {
    SEGMENT.lastIndex = start;
    const [match, written = '', mark] = SEGMENT.exec(file.text) ?? [];
    if (match === undefined || segments.length === MAX_SEGMENTS) return null;
    segments.push({ name: written.replaceAll('"', ''), key: { file, start, end: start + written.length } });
    start += match.length;
    if (mark === '=') return { segments, valueStart: start };
  }
}

function toLayer(segments: readonly Segment[], file: SourceFile, valueStart: number): SettingLayer {
  const { value, diagnostics } = parseLooseValue(file, valueStart);
  if (value === null) return { root: null, diagnostics };
  const whole = { file, start: 0, end: file.text.length };
  const nested = segments.reduceRight<LocatedValue>(
    (inner, { name, key }) => ({ kind: 'map', entries: new Map<string, LocatedEntry>([[name, { key, value: inner }]]), place: whole }),
    value,
  );
  return { root: nested.kind === 'map' ? nested : null, diagnostics };
}
