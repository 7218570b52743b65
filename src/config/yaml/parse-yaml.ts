import { RalphError } from '../../core/values/errors.ts';
import type { Json } from '../../core/values/json.ts';
import { hasErrors, renderDiagnostics } from '../findings/diagnostics.ts';
import {
  createEmptyMap,
  createSourceFile,
  type Diagnostic,
  type LocatedMap,
  type LocatedValue,
  type SourceFile,
  toDiagnostic,
} from '../findings/located.ts';
import type { LocatedContents } from './contents-builder.ts';
import { readByLibrary } from './read-by-library.ts';
import { readFast } from './read-fast.ts';
import { TEXT_FINDINGS } from './yaml-problems.ts';

/** A configuration file as it was read. */
export interface ParsedYaml {
  /** `null` where the text is no YAML or not a map; an empty text is an empty map. */
  readonly root: LocatedMap | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a text as one YAML document. Never throws: every mistake is a finding with its place. */
export function parseYaml(file: SourceFile): ParsedYaml {
  const contents = readFast(file);
  return contents === null ? parseYamlByLibrary(file) : toParsed(file, contents);
}

/** The same by the library alone: slower, for any text, and the measure of what the fast reader returns. */
export function parseYamlByLibrary(file: SourceFile): ParsedYaml {
  return toParsed(file, readByLibrary(file));
}

function toParsed(file: SourceFile, { value, diagnostics }: LocatedContents): ParsedYaml {
  if (value === null || value.kind === 'map') return { root: value, diagnostics };
  if (value.kind === 'scalar' && value.value === null) {
    return { root: createEmptyMap({ file, start: 0, end: 0 }), diagnostics };
  }
  return { root: null, diagnostics: [...diagnostics, toDiagnostic(value.place, TEXT_FINDINGS.noMap)] };
}

/**
 * Reads a YAML text whose top is a map as plain values, by the same rules as a configuration file.
 *
 * @param name how the text is called in findings
 * @throws RalphError `yaml-invalid` (exit code 2) with every finding and its place
 */
export function parseYamlText(text: string, name: string): { readonly [key: string]: Json } {
  const { root, diagnostics } = parseYaml(createSourceFile(name, '', text));
  if (root !== null && !hasErrors(diagnostics)) return toObject(root.entries);
  throw new RalphError({ code: 'yaml-invalid', what: `${name} cannot be read as YAML.`, fix: renderDiagnostics(diagnostics), exitCode: 2 });
}

function toJson(value: LocatedValue): Json {
  if (value.kind === 'scalar') return value.value;
  return value.kind === 'list' ? value.items.map(toJson) : toObject(value.entries);
}

function toObject(entries: ReadonlyMap<string, { readonly value: LocatedValue }>): { readonly [key: string]: Json } {
  return Object.fromEntries([...entries].map(([key, entry]) => [key, toJson(entry.value)]));
}
