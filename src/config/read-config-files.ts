import { dirname, resolve } from 'node:path';
import { RalphError } from '../core/index.ts';
import { toShownPath } from './compile-objective.ts';
import type { Diagnostic } from './diagnostic.ts';
import { findConfigFile } from './find-config-file.ts';
import type { LocatedMap, LocatedValue } from './located-value.ts';
import { mergeLocated } from './merge-located.ts';
import { parseYaml } from './parse-yaml.ts';
import { readTextFile, type TextFault } from './read-text-file.ts';
import { createSourceFile, toDiagnostic } from './source-file.ts';

/** The configuration files of a run, read and laid over each other. */
export interface ConfigFiles {
  /** As they are shown: relative to the folder of the run where they are inside. */
  readonly names: readonly string[];
  /** `null` where a file could not be read as YAML. */
  readonly root: LocatedMap | null;
  readonly diagnostics: readonly Diagnostic[];
}

const MAX_BYTES = 1_000_000;

/**
 * Reads the named files, later ones over earlier ones, or the one that is found in the folder; none found is an empty configuration.
 *
 * @throws RalphError `config-missing`, `config-unreadable` (exit code 2)
 */
export function readConfigFiles(cwd: string, named: readonly string[]): ConfigFiles {
  const found = named.length > 0 ? named : [findConfigFile(cwd)].filter((name) => name !== null);
  const files = found.map((name) => readConfigFile(cwd, name));
  const diagnostics = files.flatMap((file) => file.diagnostics);
  const names = files.map((file) => file.name);
  if (files.some((file) => file.root === null)) return { names, root: null, diagnostics };
  const empty: LocatedValue = {
    kind: 'map',
    entries: new Map(),
    place: { file: createSourceFile('(defaults)', cwd, ''), start: 0, end: 0 },
  };
  const root = files.reduce<LocatedValue>((base, file) => mergeLocated(base, file.root ?? empty), empty);
  return { names, root: root.kind === 'map' ? root : null, diagnostics };
}

interface ConfigFile {
  readonly name: string;
  readonly root: LocatedMap | null;
  readonly diagnostics: readonly Diagnostic[];
}

function readConfigFile(cwd: string, named: string): ConfigFile {
  const path = resolve(cwd, named);
  const name = toShownPath(cwd, path);
  const file = readTextFile(path, MAX_BYTES);
  if ('text' in file) return { name, ...parseYaml(createSourceFile(name, dirname(path), file.text)) };
  if (file.fault === 'too-large' || file.fault === 'encoding')
    return { name, root: null, diagnostics: [toUnusable(name, file.fault, file.message)] };
  throw toReadError(name, file.fault, file.message);
}

function toUnusable(name: string, fault: TextFault, message: string): Diagnostic {
  const place = { file: createSourceFile(name, '', ''), start: 0, end: 0 };
  return toDiagnostic(place, {
    code: `config-${fault}`,
    severity: 'error',
    message: `The file cannot be used: ${message}.`,
    why: 'A configuration is a YAML text of some hundred lines.',
    fix: fault === 'encoding' ? 'Save it as UTF-8.' : 'Look whether this is the right file.',
  });
}

function toReadError(name: string, fault: TextFault, message: string): RalphError {
  const isMissing = fault === 'missing';
  return new RalphError({
    code: isMissing ? 'config-missing' : 'config-unreadable',
    what: isMissing ? `There is no configuration file ${name}.` : `The configuration file ${name} cannot be used: ${message}.`,
    why: 'A run under other settings than those asked for would be a surprise.',
    fix: 'Correct the path, or leave `-c` out to use `ralph.yml` of this folder, or the defaults. `ralph init` writes a file to begin with.',
    exitCode: 2,
  });
}
