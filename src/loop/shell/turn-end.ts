import { type IterationEnded, NO_WORK, type TurnReport } from '../../core/run/inputs.ts';
import { NOT_TAKEN_OVER, type TurnId, type TurnOutcome, type WorkConflict } from '../../core/run/turn.ts';
import { MAX_KEPT_CHANGES, type ScopeViolations } from '../../core/tools/scope-violations.ts';
import { quietly } from '../../core/values/result.ts';
import type { TurnResult } from '../../ports/backend.ts';
import type { TakenOver } from '../../ports/work-copies.ts';
import type { LoopPorts, LoopView } from './loop-ports.ts';
import { redactInput } from './redact-input.ts';

/** How a turn ended for the loop: one whose work was not taken over has failed. */
export function toOutcome(result: Pick<TurnResult, 'status' | 'failure'>, conflict: WorkConflict | undefined): TurnOutcome {
  if (result.status === 'stopped') return { status: 'interrupted' };
  if (result.status === 'succeeded' && conflict !== undefined) {
    const cause = conflict.why ?? `${conflict.paths.join(', ')} changed in the folder meanwhile`;
    return {
      status: 'failed',
      failure: { class: 'agent', message: `${NOT_TAKEN_OVER}: ${cause}; it is kept in ${conflict.kept}` },
    };
  }
  if (result.status === 'succeeded') return { status: 'succeeded' };
  return { status: 'failed', failure: result.failure ?? { class: 'agent', message: 'the agent failed without saying why' } };
}

/** The report of a turn that never got to do anything. */
export const INTERRUPTED: TurnReport = {
  outcome: { status: 'interrupted' },
  ...NO_WORK,
  signals: [],
  problems: [],
  finalText: '',
  treeChanged: null,
};

/** The end of a turn of which nothing can be told. */
export function toInterrupted(ports: LoopPorts, loop: LoopView, { iteration, attempt }: TurnId): IterationEnded {
  return { type: 'iteration-ended', at: ports.clock.now(), iteration, attempt, ...INTERRUPTED, inboxOffset: loop.state().inboxOffset };
}

export function withTaken(report: IterationEnded, { conflict, discarded }: TakenOver): IterationEnded {
  const { status } = report.outcome;
  return {
    ...report,
    ...(status === 'succeeded' ? { outcome: toOutcome({ status, failure: null }, conflict) } : {}),
    ...(conflict === undefined ? {} : { conflict }),
    ...(discarded === undefined ? {} : { violations: toDiscarded(discarded) }),
  };
}

/** Whether the working tree differs; `null` where nobody looked. */
export function toChange(before: string | null, after: string | null): boolean | null {
  return before === null || after === null ? null : before !== after;
}

/** A hat that may not write has written in its copy: nothing of it was taken over. */
export function toDiscarded(paths: readonly string[]): ScopeViolations {
  const changes = paths.slice(0, MAX_KEPT_CHANGES).map((path) => ({ path, what: 'changed' as const }));
  return { changes, total: paths.length, diffFile: null, reverted: paths.length, notes: [] };
}

/** Keeps how a turn in a copy ended, until the journal has it. That it cannot be kept says nothing about the turn. */
export function keepReport({ turns, redaction }: Pick<LoopPorts, 'turns' | 'redaction'>, report: IterationEnded): void {
  if (report.outcome.status === 'interrupted') return;
  // A process that goes on with the run finds that the turn was interrupted.
  quietly(() => turns.keepEnd(report, JSON.stringify(redactInput(report, redaction))));
}

/** What is kept of the run cannot be written any more. */
export function failStorage(ports: LoopPorts, loop: LoopView, message: string): void {
  loop.post({ type: 'environment-failed', at: ports.clock.now(), what: 'storage', message });
}
