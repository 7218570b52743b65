import type { GateResult } from '../core/gates/gate-result.ts';
import type { TreeState } from '../ports/tree-reader.ts';
import { createEvidenceStore, type EvidenceStore } from './evidence-store.ts';
import type { GateRunnerSettings, StateLook } from './gate-contract.ts';

const MAX_KEPT = 500;

export interface GateRunState {
  readonly settings: GateRunnerSettings;
  readonly slots: GateSlots;
  readonly memory: GateMemory;
  readonly store: EvidenceStore | null;
  /** Runs tasks with the same key one after the other. */
  readonly inTurn: <T>(key: string, task: () => Promise<T>) => Promise<T>;
  /** Looks at the files; what a look showed stands as long as no command of a gate has run since. */
  readonly look: (since: StateLook) => Promise<TreeState | null>;
  /** Says that a command begins; call what it returns at its end: it tells whether no other ran in the meantime. */
  readonly begin: () => () => boolean;
}

export function createGateRunState(settings: GateRunnerSettings): GateRunState {
  const turns = new Map<string, Promise<unknown>>();
  let running = 0;
  /** Counts each begin and end of a command. */
  let steps = 0;
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
      if (since.state === null || since.atStep !== steps || running > 0) {
        since.atStep = steps;
        since.state = settings.tree?.read() ?? Promise.resolve(null);
      }
      return since.state;
    },
    begin: () => {
      running += 1;
      steps += 1;
      const [others, start] = [running - 1, steps];
      return () => {
        const isAlone = others === 0 && steps === start;
        running -= 1;
        steps += 1;
        return isAlone;
      };
    },
  };
}

/** What gates showed in this process: passes, by what they were about. A failure is never remembered, because its cause may lie outside of the files. */
interface GateMemory {
  readonly recall: (command: string, tree: string) => GateResult | undefined;
  readonly keep: (command: string, tree: string, result: GateResult) => void;
}

function createGateMemory(): GateMemory {
  const passes = new Map<string, GateResult>();
  const toKey = (command: string, tree: string): string => `${tree} ${command}`;
  return {
    recall: (command, tree) => passes.get(toKey(command, tree)),
    keep: (command, tree, result) => {
      passes.set(toKey(command, tree), result);
      const [oldest] = passes.keys();
      if (passes.size > MAX_KEPT && oldest !== undefined) passes.delete(oldest);
    },
  };
}

/** Lets a few run at once; one that has to run alone waits until nothing runs, and those behind it wait for it. */
interface GateSlots {
  readonly run: <T>(isAlone: boolean, task: () => Promise<T>) => Promise<T>;
}

/** @param limit how many at once, at least 1 */
export function createGateSlots(limit: number): GateSlots {
  const waiting: { readonly isAlone: boolean; readonly start: () => void }[] = [];
  let running = 0;
  let isAlone = false;

  function startNext(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (isAlone || running >= limit || (next.isAlone && running > 0)) return;
      waiting.shift();
      running += 1;
      isAlone = next.isAlone;
      next.start();
    }
  }

  return {
    run: async (alone, task) => {
      await new Promise<void>((resolve) => {
        waiting.push({ isAlone: alone, start: resolve });
        startNext();
      });
      try {
        return await task();
      } finally {
        running -= 1;
        if (alone) isAlone = false;
        startNext();
      }
    },
  };
}
