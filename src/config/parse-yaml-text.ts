import { type Json, RalphError } from '../core/index.ts';
import { hasErrors } from './diagnostic.ts';
import type { LocatedValue } from './located-value.ts';
import { parseYaml } from './parse-yaml.ts';
import { renderDiagnostics } from './render-diagnostics.ts';
import { createSourceFile } from './source-file.ts';

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
