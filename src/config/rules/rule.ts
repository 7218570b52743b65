import type { Finding } from '../../core/index.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { findPlace, type LocatedMap, type Path, readAt } from '../located-value.ts';
import type { Declared, DeclaredHat } from '../settings-table.ts';
import { showReference } from '../show-reference.ts';
import { toDiagnostic, toSpan } from '../source-file.ts';

/** What a rule looks at. */
export interface RuleInput {
  readonly root: LocatedMap;
  readonly declared: Declared;
  /** Ids under `hats:` in the order of the file; `null` without such a key. */
  readonly hatIds: readonly string[] | null;
  /** True where a finding says already that the value is wrong. */
  readonly isBroken: (path: Path) => boolean;
  /** Where an item of a list is in the file: the list here lacks those that were wrong. */
  readonly toItemPath: (list: Path, index: number) => Path;
  /** Names of tools beyond the built-in ones: those that the program which loads the configuration brings. */
  readonly toolNames?: readonly string[];
}

/** One question about a configuration. */
export type Rule = (input: RuleInput) => readonly Diagnostic[];

/** The finding at a path; of a map, a list and an empty value at its key. */
export function findingAt(input: RuleInput, path: Path, finding: Finding, part: 'key' | 'value' = 'value'): Diagnostic {
  return toDiagnostic(findPlace(input.root, path, part), showReference(finding, readAt(input.root, path)));
}

/** The finding at a path, with a second place that has to do with it. */
export function findingBetween(input: RuleInput, path: Path, finding: Finding, other: Path, message: string): Diagnostic {
  return { ...findingAt(input, path, finding), related: [{ ...toSpan(findPlace(input.root, other)), message }] };
}

/** The ids under `hats:` in the order of the file: objects of the language would put numbers first. */
export function listHatIds(root: LocatedMap): readonly string[] | null {
  const hats = root.entries.get('hats')?.value;
  if (hats === undefined) return null;
  return hats.kind === 'map' ? [...hats.entries.keys()] : [];
}

/** The hats that could be read, in the order of the file. */
export function listHats(input: RuleInput): readonly (readonly [id: string, hat: DeclaredHat])[] {
  const hats = input.declared.hats;
  if (hats === undefined) return [];
  return (input.hatIds ?? []).flatMap((id) => {
    const hat = Object.hasOwn(hats, id) ? hats[id] : undefined;
    return hat === undefined ? [] : [[id, hat] as const];
  });
}
