import type { GateCheck, StartTestsResult } from '../core/index.ts';
import type { GateOrder, TreeReader, TreeState } from '../ports/index.ts';
import { createEvidenceStore, type EvidenceStore } from './evidence-store.ts';
import { createGateMemory, type GateMemory, type StartScopes } from './gate-memory.ts';
import { createGateSlots, type GateSlots } from './gate-slots.ts';
import type { CommandGround } from './run-attempts.ts';

export interface GateRunnerSettings extends CommandGround {
  /** How many gates run at once; default 2. */
  readonly atOnce?: number;
  /** Looks at the files of the workspace; absent: nothing is known of them, so every gate runs whenever it is asked. */
  readonly tree?: TreeReader;
  /** What gates with `only_if` were about when the run began; one that is not in it runs. */
  readonly startScopes?: StartScopes;
  /** Absolute path of the folder for evidence; absent: none is kept. */
  readonly evidenceDir?: string;
  /** The command of a check, from the files of the workspace; `null` where they tell none. */
  readonly findCheck?: (check: GateCheck) => string | null;
  /** What is wrong with the protected files now, in words for who changed them; empty for nothing. */
  readonly checkProtected?: () => Promise<string>;
  /** Tries gates with the tests as they were when the run began; absent: that is not known. */
  readonly tryStartTests?: TryStartTests;
}

/**
 * Tries gates on these files, but with the tests that were changed as they were at the start. By place in the list of gates; empty where no test was changed. Never
 * rejects.
 */
export type TryStartTests = (
  gates: readonly number[],
  now: TreeState,
  watch: Pick<GateRequest, 'signal' | 'observe'>,
) => Promise<ReadonlyMap<number, StartTestsResult>>;

/** Everything that the gates of a run share. */
export interface GateBench {
  readonly settings: GateRunnerSettings;
  readonly slots: GateSlots;
  readonly memory: GateMemory;
  readonly store: EvidenceStore | null;
  /** Runs tasks with the same key one after the other. */
  readonly inTurn: <T>(key: string, task: () => Promise<T>) => Promise<T>;
  /** Looks at the files; what a look showed stands as long as no command of a gate has run since. */
  readonly look: (since: Look) => Promise<TreeState | null>;
  /** Says that a command begins; call what it returns at its end: it tells whether no other ran in the meantime. */
  readonly begin: () => () => boolean;
}

/** The last look of a request. */
export interface Look {
  stirred: number;
  state: Promise<TreeState | null> | null;
}

/** One request of the loop. */
export interface GateRequest {
  readonly signal: AbortSignal;
  readonly observe: (gate: number, line: string) => void;
  readonly look: Look;
}

/** One order of it, with the verdict to come. */
export interface GateCase extends GateRequest {
  readonly order: GateOrder;
}

/** The bench of a run. */
export function createGateBench(settings: GateRunnerSettings): GateBench {
  const turns = new Map<string, Promise<unknown>>();
  let running = 0;
  let stirs = 0;
  return {
    settings,
    slots: createGateSlots(Math.max(1, settings.atOnce ?? 2)),
    memory: createGateMemory(),
    store: settings.evidenceDir === undefined ? null : createEvidenceStore(settings.evidenceDir, settings.cwd),
    inTurn: (key, task) => {
      const mine = (turns.get(key) ?? Promise.resolve()).then(task);
      turns.set(
        key,
        mine.catch(() => undefined),
      );
      return mine;
    },
    look: (since) => {
      if (since.state === null || since.stirred !== stirs || running > 0) {
        since.stirred = stirs;
        since.state = settings.tree?.read() ?? Promise.resolve(null);
      }
      return since.state;
    },
    begin: () => {
      running += 1;
      stirs += 1;
      const [others, start] = [running - 1, stirs];
      return () => {
        const isAlone = others === 0 && stirs === start;
        running -= 1;
        stirs += 1;
        return isAlone;
      };
    },
  };
}
