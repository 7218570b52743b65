import type { HookEvent, HookRun, HookSpec } from '../core/hooks/hook-spec.ts';
import type { HookInject } from '../core/hooks/hook-verdict.ts';
import { askHook, toHookRun } from './ask-hook.ts';
import type { HandlerPlace } from './run-handler.ts';

/** What a hook said that nobody waited for. */
export interface LateAnswer {
  /** Its decision is `allow`: whatever it decided does not count. */
  readonly run: HookRun;
  readonly injects: readonly HookInject[];
}

/** Hooks that are started and not waited for, for as long as the turn. */
export interface LateHooks {
  /** Starts one. At most {@link MAX_AT_ONCE} run at once; one that is too many is not started, which is told. */
  readonly start: (spec: HookSpec, event: HookEvent) => void;
  /** What was said since this was last called, in the order in which it came. */
  readonly take: () => readonly LateAnswer[];
  /** Settles when none of those that were started runs any more. */
  readonly settle: () => Promise<void>;
  /** Ends them all; what they say from now on is dropped. Settles when nothing of them runs any more. */
  readonly close: () => Promise<void>;
}

/** A slow hook of a fast agent would otherwise fill the machine. */
export const MAX_AT_ONCE = 16;

/** @param steady milliseconds from a clock that only goes forward */
export function createLateHooks(place: HandlerPlace, steady: () => number): LateHooks {
  const ended = new AbortController();
  const running = new Set<Promise<void>>();
  let answers: LateAnswer[] = [];
  const own = { ...place, signal: AbortSignal.any([place.signal, ended.signal]) };
  const ask = async (spec: HookSpec, event: HookEvent): Promise<void> => {
    const { verdict, run } = await askHook(spec, event, own, steady);
    if (!own.signal.aborted) answers.push(toAnswer(run, verdict.injects));
  };
  const settle = async (): Promise<void> => {
    await Promise.all(running);
  };
  return {
    start: (spec, event) => {
      if (running.size >= MAX_AT_ONCE) {
        const verdict = { decision: 'allow', reason: '', injects: [] } as const;
        answers.push({ run: toHookRun(spec, { verdict, error: `it was not started: ${MAX_AT_ONCE} hooks still run` }, 0), injects: [] });
        return;
      }
      const done = ask(spec, event).finally(() => running.delete(done));
      running.add(done);
    },
    take: () => {
      const taken = answers;
      answers = [];
      return taken;
    },
    settle,
    close: async () => {
      ended.abort();
      await settle();
    },
  };
}

/** The result that its texts would have followed is long with the model. */
function toAnswer(run: HookRun, injects: readonly HookInject[]): LateAnswer {
  const silence = run.event === 'PermissionRequest' ? 'ask' : 'allow';
  const ignored = run.decision === silence ? null : `it said ${run.decision}, and nobody waits for what it decides`;
  return {
    run: { ...run, decision: 'allow', error: run.error ?? ignored },
    injects: injects.map(({ content }) => ({ content, strategy: 'user_message' })),
  };
}
