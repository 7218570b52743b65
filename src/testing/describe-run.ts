import { showEvent, showRefusal } from './check-events.ts';
import type { RunFacts, TurnFacts } from './scenario-result.ts';

/** A run in lines: what was asked of whom, what came of it, in order. */
export function describeRun(run: RunFacts, number: number): string {
  const error = run.error === null ? [] : [`error ${run.error.code}: ${run.error.message}`];
  const before = run.events.filter((event) => event.iteration === 0).map((event) => `  ${showEvent(event)}`);
  const ends = run.ends.map((end) => `ended: ${end.reason} (exit code ${end.exitCode ?? 'none'}): ${end.detail}`);
  const notices = run.notices.map((notice) => `notice ${notice.code}: ${notice.text}`);
  return [
    `run ${number}: ${run.iterations} iterations, ${run.durationMs} ms`,
    ...error,
    ...before,
    ...run.turns.flatMap((turn) => describeTurn(run, turn)),
    ...notices,
    ...ends,
  ].join('\n');
}

function describeTurn(run: RunFacts, turn: TurnFacts): readonly string[] {
  const failure = turn.failure === null ? '' : ` (${turn.failure.class}: ${turn.failure.message})`;
  const isLast = !run.turns.some((other) => other.iteration === turn.iteration && other.attempt > turn.attempt);
  const head = `${turn.iteration}.${turn.attempt} ${turn.hat} (${turn.backend || 'not started'}) given ${turn.given.join(', ') || 'nothing'}: ${turn.status}${failure}`;
  if (!isLast) return [head];
  const events = run.events.filter((event) => event.iteration === turn.iteration).map((event) => `  ${showEvent(event)}`);
  const refused = run.refused.filter((entry) => entry.iteration === turn.iteration).map((entry) => `  refused: ${showRefusal(entry)}`);
  return [head, ...events, ...refused];
}
