import { HOOK_MOMENTS, type HookEvent, type HookRun, type HookSpec, isLifeEvent } from '../core/hooks/hook-spec.ts';
import { type HookOutcome, type HookVerdict, type JudgedHook, judgeHook } from '../core/hooks/hook-verdict.ts';
import { startOf } from '../core/text/shorten.ts';
import type { AskAway } from '../ports/hook-runner.ts';
import { type HandlerPlace, runHandler, STOPPED } from './run-handler.ts';

/** A hook that was asked: what it decided, and what is told of it. */
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
export function toHookRun({ name, event }: HookSpec, { verdict, error, isFileChanged }: JudgedHook, ms: number): HookRun {
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
