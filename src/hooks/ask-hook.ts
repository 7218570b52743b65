import { HOOK_MOMENTS, type HookRun, isLifeEvent } from '../core/hooks/hook-moments.ts';
import type { HookEvent, HookInject, HookOutcome, HookSpec, HookVerdict } from '../core/hooks/hook-spec.ts';
import { type JudgedHook, judgeHook } from '../core/hooks/hook-verdict.ts';
import { startOf } from '../core/text/shorten.ts';
import type { AskAway } from '../ports/hook-runner.ts';
import { type HandlerPlace, runHandler, STOPPED } from './run-handler.ts';

export interface AskedHook {
  readonly verdict: HookVerdict;
  readonly run: HookRun;
}

/**
 * Asks a hook, on a worker where it needs one and the run has a fleet, and judges what it said. Never rejects.
 *
 * @param steady milliseconds from a clock that only goes forward
 */
export async function askHook(spec: HookSpec, event: HookEvent, place: HandlerPlace, steady: () => number): Promise<AskedHook> {
  const startedAt = steady();
  const { outcome, worker } =
    spec.runsOn === undefined || place.askAway === undefined
      ? { outcome: await runHandler(spec, event, place), worker: undefined }
      : await askElsewhere(place.askAway, spec, event, place.signal);
  const judged = judgeHook(spec, outcome);
  const run = toHookRun(spec, judged, steady() - startedAt);
  return { verdict: judged.verdict, run: worker === undefined ? run : { ...run, worker } };
}

async function askElsewhere(
  askAway: AskAway,
  spec: HookSpec,
  event: HookEvent,
  signal: AbortSignal,
): Promise<{ readonly outcome: HookOutcome; readonly worker?: string }> {
  // Nothing waits for what is only told, but the end of the run: the wait for a worker is a part of its time.
  const late = isLifeEvent(spec.event) ? AbortSignal.timeout(spec.timeoutMs) : null;
  const result = await askAway({ spec, event }, late === null ? signal : AbortSignal.any([signal, late]));
  switch (result.kind) {
    case 'ran':
      return { outcome: result.outcome, worker: result.worker };
    case 'lost':
      return { outcome: { kind: 'failed', problem: result.why, answer: null } };
    case 'stopped':
      return { outcome: late?.aborted === true && !signal.aborted ? { kind: 'timed-out', answer: null } : STOPPED };
  }
}

const MAX_REASON = 2000;
const MAX_PREVIEW = 200;

/** A hook that was asked, as it is told of; `ms` from the question to the answer. */
function toHookRun({ name, event }: HookSpec, { verdict, error, isFileChanged }: JudgedHook, ms: number): HookRun {
  return {
    name,
    event,
    decision: verdict.decision,
    reason: startOf(verdict.reason, MAX_REASON),
    error,
    ms,
    preview: startOf(verdict.injects[0]?.content ?? '', MAX_PREVIEW),
    ...(isChange(event, verdict) ? { hasChanged: true as const } : {}),
    ...(isFileChanged === true && { isFileChanged }),
  };
}

/** Whether it changes what it may change at that moment. */
function isChange(event: HookSpec['event'], { updatedInput, mergedInput, updatedOutput, updatedEvent }: HookVerdict): boolean {
  switch (HOOK_MOMENTS[event].mayChange) {
    case 'input':
      return updatedInput !== undefined || mergedInput !== undefined;
    case 'output':
      return updatedOutput !== undefined;
    case 'event':
      return updatedEvent !== undefined;
    case null:
      return false;
  }
}

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
