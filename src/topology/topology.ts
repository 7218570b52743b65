import type { HatSpec, RunSpec } from '../core/index.ts';
import type { RouteTable } from './route-table.ts';

/** Who coordinates (decisions, section 1). */
export type Coordination = 'solo' | 'ralph' | 'hats';

/** A checked declaration with everything that routing needs looked up once. Immutable. */
export interface Topology {
  readonly spec: RunSpec;
  readonly coordination: Coordination;
  /** In the order of the file; in `mode: single` the one hat `default`. */
  readonly hats: readonly HatSpec[];
  readonly hatById: ReadonlyMap<string, HatSpec>;
  readonly routes: RouteTable;
  /** The topic that begins the run. */
  readonly startTopic: string;
  /** Who gets it: a hat id or `ralph`. */
  readonly entry: string;
  /** Who is called when the queue is empty: a hat id or `ralph`. */
  readonly fallback: string;
  readonly recoveryHat: string | null;
  /** True in `mode: single`: the classic loop of seed 004. */
  readonly classic: boolean;
}
