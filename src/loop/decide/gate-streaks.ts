import {
  EXTERNAL,
  type GateFailure,
  type GateResult,
  type GateStreak,
  type GateWait,
  TOPIC_BLOCKED,
  TOPIC_COMPLETE,
  toBlockedTopic,
  toResultName,
} from '../../core/index.ts';
import { hasTurns, safetyNetOf, takersOf } from '../../topology/index.ts';
import { change, readEntry, type Step } from './step.ts';

/** Failures of a gate in a row for one hat after which somebody else is asked. */
export const STUCK_AFTER = 3;
/** How many of the failures of a row are kept. */
const KEPT_FAILURES = 3;
const KEPT_CHARACTERS = 800;

/** Counts, for the hat whose events waited, what failed again; a pass ends the row. People from outside are not counted. */
export function noteStreaks(step: Step, wait: GateWait, failed: readonly GateResult[], results: readonly GateResult[]): void {
  if (wait.hat === EXTERNAL) return;
  const judged = new Set([...failed, ...results].map(toResultName));
  const known = readEntry(step.state.gateStreaks, wait.hat) ?? [];
  const untouched = known.filter((streak) => !judged.has(streak.gate));
  const grown = failed.map((result): GateStreak => {
    const before = known.find((streak) => streak.gate === toResultName(result));
    const failures = [...(before?.failures ?? []), toFailure(wait, result)].slice(-KEPT_FAILURES);
    return { gate: toResultName(result), count: (before?.count ?? 0) + 1, failures };
  });
  const { [wait.hat]: _, ...others } = step.state.gateStreaks;
  const streaks = [...untouched, ...grown];
  change(step, { gateStreaks: streaks.length === 0 ? others : { ...others, [wait.hat]: streaks } });
}

function toFailure({ iteration }: GateWait, { exitCode, timedOut, outputTail }: GateResult): GateFailure {
  return { iteration, exitCode, timedOut, tail: outputTail.slice(-KEPT_CHARACTERS) };
}

/** The rows of a hat that have just become so long that somebody else is to look at it. */
export function findStuck(step: Step, hat: string, failed: readonly GateResult[]): readonly GateStreak[] {
  const names = failed.map(toResultName);
  const streaks = readEntry(step.state.gateStreaks, hat) ?? [];
  return streaks.filter((streak) => names.includes(streak.gate) && streak.count % STUCK_AFTER === 0);
}

/**
 * Who is asked when a hat cannot satisfy a gate: who takes `task.blocked`, else who takes the blocked event, else who takes `blocked`, else the
 * recovery hat, else Ralph; never the hat itself. `null` where nobody else is there.
 */
export function findResolver(step: Step, hat: string, blocked: string): string | null {
  const { topology } = step;
  const candidates = [
    ...takersOf(topology, toBlockedTopic(TOPIC_COMPLETE)),
    ...takersOf(topology, blocked),
    ...takersOf(topology, TOPIC_BLOCKED),
    ...(topology.recoveryHat === null ? [] : [topology.recoveryHat]),
    safetyNetOf(topology),
  ];
  return candidates.find((candidate) => candidate !== hat && hasTurns(topology, candidate)) ?? null;
}
