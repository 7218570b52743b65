import { createHash } from 'node:crypto';
import type { GateSpec } from '../core/gates/gate-spec.ts';
import type { TreeState } from '../ports/tree-reader.ts';
import type { StartScopes } from './gate-contract.ts';
import { createPathMatcher } from './path-matcher.ts';

/** The hash of the files that a gate is about: all, or those that its `only_if` names. */
export async function toScope(state: TreeState | null, { onlyIf }: Pick<GateSpec, 'onlyIf'>): Promise<string | null> {
  if (state === null || onlyIf === undefined) return state?.hash ?? null;
  const { matches } = await createPathMatcher(onlyIf);
  const named = [...state.files].filter(([path]) => matches(path)).sort(([left], [right]) => (left < right ? -1 : 1));
  const hash = createHash('sha256').update(state.rules === undefined ? '' : `rules\0${state.rules}\0`);
  for (const [path, content] of named) hash.update(`${path}\0${content}\0`);
  return hash.digest('hex').slice(0, 40);
}

/** The name under which the scope of a gate is kept. */
export function toScopeKey({ onlyIf = [] }: Pick<GateSpec, 'onlyIf'>): string {
  return JSON.stringify(onlyIf);
}

export async function toStartScopes(state: TreeState | null, gates: readonly GateSpec[]): Promise<StartScopes> {
  const scopes: [string, string][] = [];
  for (const gate of gates) {
    const scope = gate.onlyIf === undefined ? null : await toScope(state, gate);
    if (scope !== null) scopes.push([toScopeKey(gate), scope]);
  }
  return Object.fromEntries(scopes);
}
