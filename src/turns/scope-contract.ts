import type { BackendSpec } from '../core/backends/backend-spec.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { Activation } from '../core/run/state.ts';
import { MAX_KEPT_CHANGES, type ScopeViolations } from '../core/tools/scope-violations.ts';
import type { Surroundings } from '../loop/shell/loop-ports.ts';
import type { TurnSandboxOrder } from '../sandbox/turn-sandbox.ts';

/** Holds the turns of a run to the profiles of their hats. */
export interface TurnScopes {
  /** Of a hat that one agent wears. Rejects when a sandbox is required and not there. */
  readonly open: (order: IterationStart, spec: BackendSpec, plain: Surroundings) => Promise<Surroundings>;
  /** Of a hat with a panel. */
  readonly panel: PanelScopes;
  /** What a turn has written whose process is dead, if its hat may not write. Never rejects. */
  readonly lookBack: (activation: Activation) => Promise<ScopeViolations | null>;
}

export interface PanelScopes {
  /** Around a whole panel: where none of its agents may write, the folder of the run is looked at. */
  readonly open: (order: IterationStart, plain: Surroundings) => Promise<Surroundings>;
  /** Around a round of one of its agents. Rejects when a sandbox is required and not there. */
  readonly openAgent: (order: PanelAgentOrder) => Promise<Surroundings>;
}

export interface PanelAgentOrder {
  /** The turn of its panel. */
  readonly order: IterationStart;
  readonly spec: BackendSpec;
  /** Its own folder is where it works. */
  readonly plain: Surroundings;
  /** Unlike that of any other round of the panel that is under way; it says nothing to the agent. */
  readonly name: string;
  readonly promptFile: string;
  /** What else it is to see in a sandbox. */
  readonly more?: readonly string[];
  /** Attaches the tools that hand in; absent: its program gets none. */
  readonly attach?: PanelAttach;
}

/** Given a private folder. `isAlone`: the servers of the user are left out. */
export type PanelAttach = (folder: string, isAlone: boolean) => ReturnType<TurnSandboxOrder['attach']>;

const NOTHING: ScopeViolations = { changes: [], total: 0, diffFile: null, reverted: null, notes: [] };

/** What a turn changed, with what it changed of Ralph's own; `null` for nothing. */
export function addTrusted(found: ScopeViolations | null, trusted: readonly string[], between: readonly string[]): ScopeViolations | null {
  if (trusted.length + between.length === 0) return found;
  const paths = [...between, ...(found?.between?.paths ?? [])].slice(0, MAX_KEPT_CHANGES);
  return {
    ...(found ?? NOTHING),
    ...(trusted.length === 0 ? {} : { trusted: trusted.slice(0, MAX_KEPT_CHANGES) }),
    ...(paths.length === 0 ? {} : { between: { paths, total: between.length + (found?.between?.total ?? 0) } }),
  };
}
