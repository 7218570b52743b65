import type { Isolation } from '../../ports/index.ts';

/** Where servers are started. */
export interface McpWorld {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By which the processes of the servers can be found again. */
  readonly marker: string;
  /** The namespaces that each server gets; absent: none. */
  readonly isolation?: Isolation | undefined;
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
}
