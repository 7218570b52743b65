import {
  type EventDraft,
  EXTERNAL,
  type GateResult,
  type GateStreak,
  type Json,
  QUALITY_GATE,
  toBlockedTopic,
  toResultName,
} from '../../core/index.ts';
import { takersOf } from '../../topology/index.ts';
import { findResolver, findStuck, STUCK_AFTER } from './gate-streaks.ts';
import { publishDrafts } from './publish.ts';
import { notify, type Step, tell } from './step.ts';

/**
 * `build.done` -> `build.blocked`, with what the command said. It goes to who takes the blocked topic, else back to its author, who is then told
 * in its next prompt; after three failures of a gate in a row to who can resolve it, with what they were.
 */
export function block(step: Step, hat: string, draft: EventDraft, failed: readonly GateResult[]): void {
  const topic = toBlockedTopic(draft.topic);
  const names = failed.map(toResultName).join(', ');
  notify(step, 'warning', 'gate-failed', `${names} failed: ${draft.topic} of ${hat} became ${topic}.`);
  const blocked: EventDraft = { topic, payload: toPayload(draft, failed), source: QUALITY_GATE, publishedBy: draft.source, by: 'gate' };
  const stuck = findStuck(step, hat, failed);
  if (stuck.length > 0 && handOver(step, { hat, draft, blocked, failed, stuck })) return;
  const takers = takersOf(step.topology, topic);
  if (takers.every((taker) => taker === hat)) tell(step, hat, { kind: 'gate-failed', topic: draft.topic, results: failed });
  const isReturned = takers.length === 0 && hat !== EXTERNAL;
  publishDrafts(step, [isReturned ? { ...blocked, target: hat } : blocked]);
}

interface Stuck {
  readonly hat: string;
  readonly draft: EventDraft;
  readonly blocked: EventDraft;
  readonly failed: readonly GateResult[];
  readonly stuck: readonly GateStreak[];
}

/**
 * Gives the blocked event to somebody else, with the row of failures. The first time that is a new turn of things and no repetition; when
 * it comes to that again, loop detection may count it. False where nobody else is there: the hat itself is told the row then.
 */
function handOver(step: Step, { hat, draft, blocked, failed, stuck }: Stuck): boolean {
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
