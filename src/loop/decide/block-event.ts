import type { EventDraft } from '../../core/events/event.ts';
import { EXTERNAL, QUALITY_GATE, TOPIC_BLOCKED, TOPIC_COMPLETE, toBlockedTopic } from '../../core/events/reserved.ts';
import { type GateResult, toResultName } from '../../core/gates/gate-result.ts';
import type { GateFailure, GateStreak } from '../../core/run/feedback.ts';
import type { GateWait } from '../../core/run/state.ts';
import { type Json, readOwn } from '../../core/values/json.ts';
import { hasTurns, safetyNetOf, takersOf } from '../../topology/routing/queries.ts';
import { gatesOn, publishDrafts } from './publish.ts';
import { change, hasTurnEach, type LoopStep, notify, tell } from './step.ts';

/** Failures of a gate in a row for one hat after which somebody else is asked. */
const STUCK_AFTER = 3;
/** How many of the failures of a row are kept. */
const KEPT_FAILURES = 3;
const KEPT_CHARACTERS = 800;

/** Publishes what the gates let through; what they hold back becomes a blocked event. */
export function publishJudged(step: LoopStep, wait: GateWait, failures: readonly GateResult[]): void {
  const passed: EventDraft[] = [];
  for (const draft of wait.drafts) {
    const guards = gatesOn(step, wait.hat, [draft.topic]);
    const failed = failures.filter((result) => guards.includes(result.gate));
    if (failed.length === 0) {
      passed.push(draft);
      continue;
    }
    publishDrafts(step, passed.splice(0));
    blockEvent(step, wait.hat, draft, failed);
  }
  publishDrafts(step, passed);
}

/**
 * `build.done` -> `build.blocked`, with what the command said. It goes to who takes the blocked topic, else back to its author, who is then told
 * in its next prompt; after three failures of a gate in a row to who can resolve it, with what they were.
 */
export function blockEvent(step: LoopStep, hat: string, draft: EventDraft, failed: readonly GateResult[]): void {
  const topic = toBlockedTopic(draft.topic);
  const names = failed.map(toResultName).join(', ');
  notify(step, 'warning', 'gate-failed', `${names} failed: ${draft.topic} of ${hat} became ${topic}.`);
  const given = draft.given === undefined ? {} : { given: draft.given };
  const payload = toPayload(draft, failed);
  const blocked: EventDraft = { topic, payload, source: QUALITY_GATE, publishedBy: draft.source, by: 'gate', ...given };
  const stuck = findStuck(step, hat, failed);
  if (stuck.length > 0 && handOver(step, { hat, draft, blocked, failed, stuck })) return;
  const takers = takersOf(step.topology, topic);
  if (takers.every((taker) => taker === hat)) tell(step, hat, { kind: 'gate-failed', topic: draft.topic, results: failed });
  const isReturned = takers.length === 0 && hat !== EXTERNAL;
  publishDrafts(step, [isReturned ? { ...blocked, target: hat } : blocked]);
}

/** A blocked event of a hat that does not get past a gate. */
interface StuckEvent {
  readonly hat: string;
  readonly draft: EventDraft;
  readonly blocked: EventDraft;
  readonly failed: readonly GateResult[];
  readonly stuck: readonly GateStreak[];
}

/**
 * Gives the blocked event to somebody else, with the failures in a row. The first time that is no repetition; when it comes to that
 * again, loop detection may count it. False where nobody else is there: then the hat itself is told of the failures.
 */
function handOver(step: LoopStep, { hat, draft, blocked, failed, stuck }: StuckEvent): boolean {
  const resolver = findResolver(step, hat, blocked.topic);
  const told = resolver ?? hat;
  for (const { gate, count, failures } of stuck) tell(step, told, { kind: 'gate-stuck', hat, topic: draft.topic, gate, count, failures });
  if (resolver === null) return false;
  const rows = stuck.map(({ gate, count }) => `${gate} failed ${count} times in a row for ${hat}`).join(', ');
  notify(step, 'warning', 'gate-stuck', `${rows}: ${resolver} is asked to resolve it.`);
  const isFirst = stuck.some((streak) => streak.count === STUCK_AFTER);
  const others = failed.filter((result) => !stuck.some((streak) => streak.gate === toResultName(result)));
  if (others.length > 0) tell(step, resolver, { kind: 'gate-failed', topic: draft.topic, results: others });
  publishDrafts(step, [{ ...blocked, target: resolver, ...(isFirst && { by: 'escalation' as const }) }]);
  return true;
}

function toPayload(draft: EventDraft, failed: readonly GateResult[]): Json {
  return {
    blocked_by: failed.map(toResultName).join(', '),
    original: draft.topic,
    payload: draft.payload,
    published_by: draft.source,
    gates: failed.map(toResultName),
    output: failed.map((result) => ({
      command: result.command,
      exit_code: result.exitCode,
      timed_out: result.timedOut,
      tail: result.outputTail,
    })),
  };
}

/** Counts how often in a row each gate failed for the hat whose events waited; a pass ends the count. People from outside are not counted. */
export function noteStreaks(step: LoopStep, wait: GateWait, failed: readonly GateResult[], results: readonly GateResult[]): void {
  if (wait.hat === EXTERNAL) return;
  const judged = new Set([...failed, ...results].map(toResultName));
  const known = readOwn(step.state.gateStreaks, wait.hat) ?? [];
  const untouched = known.filter((streak) => !judged.has(streak.gate));
  const grown = failed.map((result): GateStreak => {
    const before = known.find((streak) => streak.gate === toResultName(result));
    if (before?.upTo !== undefined && wait.request <= before.upTo) return before;
    const upTo = hasTurnEach(step, wait.hat) ? { upTo: step.state.counters.request } : {};
    const failures = [...(before?.failures ?? []), toFailure(wait, result)].slice(-KEPT_FAILURES);
    return { gate: toResultName(result), count: (before?.count ?? 0) + 1, failures, ...upTo };
  });
  const { [wait.hat]: _, ...others } = step.state.gateStreaks;
  const streaks = [...untouched, ...grown];
  change(step, { gateStreaks: streaks.length === 0 ? others : { ...others, [wait.hat]: streaks } });
}

function toFailure({ iteration }: GateWait, { exitCode, timedOut, outputTail }: GateResult): GateFailure {
  return { iteration, exitCode, timedOut, tail: outputTail.slice(-KEPT_CHARACTERS) };
}

/** The gates that have now failed so often in a row for a hat that somebody else is to look at it. */
function findStuck(step: LoopStep, hat: string, failed: readonly GateResult[]): readonly GateStreak[] {
  const names = failed.map(toResultName);
  const streaks = readOwn(step.state.gateStreaks, hat) ?? [];
  return streaks.filter((streak) => names.includes(streak.gate) && streak.count % STUCK_AFTER === 0);
}

/**
 * Who is asked when a hat cannot satisfy a gate: who takes `task.blocked`, else who takes the blocked event, else who takes `blocked`, else the
 * recovery hat, else Ralph; never the hat itself. `null` where nobody else is there.
 */
function findResolver(step: LoopStep, hat: string, blocked: string): string | null {
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
