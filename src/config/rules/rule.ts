import type { Finding } from '../../core/schema/finding.ts';
import { readOwn } from '../../core/values/json.ts';
import { type Diagnostic, findPlace, type LocatedMap, type Path, toSpan } from '../findings/located.ts';
import type { Declared, DeclaredHat } from '../keys/settings-table.ts';
import { placeFinding } from '../keys/value-finding.ts';

export interface RuleInput {
  readonly root: LocatedMap;
  readonly declared: Declared;
  /** Ids under `hats:` in the order of the file; `null` without such a key. */
  readonly hatIds: readonly string[] | null;
  /** True where the value was wrong and left out: a finding tells it already. */
  readonly isBroken: (path: Path) => boolean;
  /** The path of an item in the file: `declared` lacks items that were wrong. */
  readonly toItemPath: (list: Path, index: number) => Path;
  /** Names of tools that the calling program brings. */
  readonly toolNames?: readonly string[];
}

/** One question about a configuration. */
export type Rule = (input: RuleInput) => readonly Diagnostic[];

/** Puts a finding at a path; for a map, a list and an empty value at its key. */
export function findingAt(input: RuleInput, path: Path, finding: Finding, part: 'key' | 'value' = 'value'): Diagnostic {
  return placeFinding(input.root, path, finding, part);
}

/** The same, with a second place that it is about. */
export function findingBetween(input: RuleInput, path: Path, finding: Finding, other: Path, message: string): Diagnostic {
  return { ...findingAt(input, path, finding), related: [{ ...toSpan(findPlace(input.root, other)), message }] };
}

/** The ids under `hats:` in the order of the file: objects of the language would put numbers first. */
export function listHatIds(root: LocatedMap): readonly string[] | null {
  const hats = root.entries.get('hats')?.value;
  if (hats === undefined) return null;
  return hats.kind === 'map' ? [...hats.entries.keys()] : [];
}

/** A path without the `./` that it may begin with. */
export function withoutDot(path: string): string {
  return path.replace(/^(?:\.\/+)+/, '');
}

/** The address of something that is reached by HTTP; `null` for any other text. */
export function readWebAddress(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

/** The hats that could be read, in the order of the file. */
export function listHats(input: RuleInput): readonly (readonly [id: string, hat: DeclaredHat])[] {
  const hats = input.declared.hats;
  if (hats === undefined) return [];
  return (input.hatIds ?? []).flatMap((id) => {
    const hat = readOwn(hats, id);
    return hat === undefined ? [] : [[id, hat] as const];
  });
}

/** An address without its parts that may be secret: the login, and everything behind a `?` or `#`. */
export function hideLogin(address: string): string {
  return address.replace(/\/\/[^/?#]*@/, '//…@').replace(/[?#].*$/s, '?…');
}

/** A finding about a possible secret: the line that holds it is not shown. */
export function withoutExcerpt(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, excerpt: { text: '', column: 1 } };
}
