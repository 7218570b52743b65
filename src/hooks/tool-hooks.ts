import type { HookedResult, MergedHooks } from '../core/hooks/hook-spec.ts';
import type { JsonObject } from '../core/values/json.ts';

export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
}

export interface RequestedCall extends HookedCall {
  /** Why it is asked about. */
  readonly reason: string;
}

export interface ToolHooks {
  /** Asks them about a call that is about to be made. Never rejects. */
  readonly before: (call: HookedCall) => Promise<MergedHooks>;
  /**
   * Asks them about a call that was made. What hooks that nobody waits for have said by then is in the answer, its texts as messages behind all results.
   * Never rejects.
   */
  readonly after: (call: HookedCall, output: string, isError: boolean) => Promise<MergedHooks>;
  /** Asks them whether a call may be made that somebody has to allow: `ask` where none of them says. Never rejects. */
  readonly request: (call: RequestedCall) => Promise<MergedHooks>;
  /** Asks them once about all calls of one answer, which were made. A denial ends the turn. Never rejects. */
  readonly afterAll: (calls: readonly HookedResult[]) => Promise<MergedHooks>;
  /** Ends the programs that stay, and the hooks that nobody waits for; what they would have said is dropped. */
  readonly close: () => Promise<void>;
}

export interface TurnHooks extends ToolHooks {
  /** Waits for the hooks that nobody waited for, and takes what they said. Never rejects. */
  readonly awaitLate: () => Promise<MergedHooks>;
}

/** What no hook makes of a call: it is made as it is. */
export const NOTHING: MergedHooks = { decision: 'allow', reason: '', injects: [], runs: [] };

/** What no hook makes of a call that somebody has to allow. */
export const NOT_SAID: MergedHooks = { ...NOTHING, decision: 'ask' };

/** No hooks: nothing is asked, nothing changes. */
export const NO_HOOKS: TurnHooks = {
  before: async () => NOTHING,
  after: async () => NOTHING,
  afterAll: async () => NOTHING,
  awaitLate: async () => NOTHING,
  request: async () => NOT_SAID,
  close: async () => {},
};
