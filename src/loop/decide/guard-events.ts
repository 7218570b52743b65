import {
  type EventDraft,
  EXTERNAL,
  type GateResult,
  type GateSpec,
  type GateWait,
  matchesTopic,
  TOPIC_COMPLETE,
  toBlockedTopic,
} from '../../core/index.ts';
import { takersOf } from '../../topology/index.ts';
import { publishDrafts } from './publish.ts';
import { change, count, notify, order, type Step, tell } from './step.ts';

/** Events of one turn on their way to the gates. */
export interface GuardedEvents {
  readonly hat: string;
  readonly iteration: number;
  readonly drafts: readonly EventDraft[];
}

/** Publishes events, after the gates on their topics where there are any. This is the one place through which agents' events pass. */
export function guardEvents(step: Step, guarded: GuardedEvents): void {
  const gates = gatesOn(
    step,
    guarded.drafts.map((draft) => draft.topic),
  );
  if (gates.length === 0) return publishDrafts(step, guarded.drafts);
  askGates(step, { ...guarded, completion: null, gates });
}

/** The gates whose patterns match one of the topics, by index. */
export function gatesOn(step: Step, topics: readonly string[]): readonly number[] {
  return step.topology.spec.gates.flatMap((gate, index) => (topics.some((topic) => isGuarded(step, gate, topic)) ? [index] : []));
}

/** `task.complete` stands for every way to complete, so a gate on the promise guards it too. */
function isGuarded(step: Step, gate: GateSpec, topic: string): boolean {
  return gate.on.some((pattern) => matchesTopic(pattern, topic) || (topic === TOPIC_COMPLETE && pattern === step.topology.spec.promise));
}

/** Orders gates and keeps what waits for them. */
export function askGates(
  step: Step,
  wait: GuardedEvents & { readonly completion: EventDraft | null; readonly gates: readonly number[] },
): void {
  const request = count(step, 'request');
  const { hat, iteration, drafts, completion, gates } = wait;
  const gateWait: GateWait = { request, gates, hat, iteration, completion, drafts };
  change(step, { gateWaits: [...step.state.gateWaits, gateWait] });
  orderGates(step, gateWait);
}

/** Gives the order, for the first time or, after a crash, again. */
export function orderGates(step: Step, { request, gates, completion, drafts }: GateWait): void {
  const topics = completion === null ? drafts.map((draft) => draft.topic) : [completion.topic];
  order(step, { type: 'gates-run', request, gates, topics: [...new Set(topics)] });
}

/** What the gates have against what waits for them. A gate that gave no result has not passed. */
export function findFailed(step: Step, wait: GateWait, results: readonly GateResult[]): readonly GateResult[] {
  const judged = wait.gates.map((gate) => results.find((result) => result.gate === gate) ?? toMissing(step, gate));
  return judged.filter((result) => !result.passed);
}

function toMissing(step: Step, gate: number): GateResult {
  const command = step.topology.spec.gates[gate]?.run ?? '';
  return { gate, command, passed: false, exitCode: null, timedOut: false, durationMs: 0, outputTail: 'The gate gave no result.' };
}

/** Publishes what the gates let through; what they hold back becomes a blocked event (decisions, section 5). */
export function publishJudged(step: Step, wait: GateWait, failures: readonly GateResult[]): void {
  const passed: EventDraft[] = [];
  for (const draft of wait.drafts) {
    const guards = gatesOn(step, [draft.topic]);
    const failed = failures.filter((result) => guards.includes(result.gate));
    if (failed.length === 0) {
      passed.push(draft);
      continue;
    }
    publishDrafts(step, passed.splice(0));
    block(step, wait.hat, draft, failed);
  }
  publishDrafts(step, passed);
}

/**
 * `build.done` -> `build.blocked`, with what the command said. It goes to who takes the blocked topic, else back to its author, who is then told
 * in its next prompt.
 */
export function block(step: Step, hat: string, draft: EventDraft, failed: readonly GateResult[]): void {
  const topic = toBlockedTopic(draft.topic);
  const payload = {
    blocked_by: failed.map((result) => result.command),
    original: { topic: draft.topic, payload: draft.payload },
    output: failed.map((result) => ({
      command: result.command,
      exit_code: result.exitCode,
      timed_out: result.timedOut,
      tail: result.outputTail,
    })),
  };
  notify(
    step,
    'warning',
    'gate-failed',
    `${failed.map((result) => result.command).join(', ')} failed: ${draft.topic} of ${hat} became ${topic}.`,
  );
  const takers = takersOf(step.topology, topic);
  if (takers.every((taker) => taker === hat)) tell(step, hat, { kind: 'gate-failed', topic: draft.topic, results: failed });
  const blocked: EventDraft = { topic, payload, source: draft.source, by: 'gate' };
  const isReturned = takers.length === 0 && hat !== EXTERNAL;
  publishDrafts(step, [isReturned ? { ...blocked, target: hat } : blocked]);
}
