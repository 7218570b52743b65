import { type EventDraft, type GateResult, type GateSpec, matchesTopic, TOPIC_COMPLETE, toBlockedTopic } from '../../core/index.ts';
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
export function askGates(step: Step, wait: GuardedEvents & { readonly completion: EventDraft | null; readonly gates: readonly number[] }): void {
  const request = count(step, 'request');
  const { hat, iteration, drafts, completion, gates } = wait;
  change(step, { gateWaits: [...step.state.gateWaits, { request, gates, hat, iteration, completion, drafts }] });
  const topics = completion === null ? drafts.map((draft) => draft.topic) : [completion.topic];
  order(step, { type: 'gates-run', request, gates, topics: [...new Set(topics)] });
}

/** Publishes what the gates let through; what they hold back becomes a blocked event (decisions, section 5). */
export function publishJudged(step: Step, guarded: GuardedEvents, results: readonly GateResult[]): void {
  const passed: EventDraft[] = [];
  for (const draft of guarded.drafts) {
    const failed = results.filter((result) => !result.passed && gatesOn(step, [draft.topic]).includes(result.gate));
    if (failed.length === 0) {
      passed.push(draft);
      continue;
    }
    publishDrafts(step, passed.splice(0));
    block(step, guarded.hat, draft, failed);
  }
  publishDrafts(step, passed);
}

/**
 * `build.done` -> `build.blocked`, with what the command said. It goes to who takes the blocked topic, else back to its author;
 * the author is told in either case.
 */
export function block(step: Step, hat: string, draft: EventDraft, failed: readonly GateResult[]): void {
  const topic = toBlockedTopic(draft.topic);
  const payload = {
    blocked_by: failed.map((result) => result.command),
    original: { topic: draft.topic, payload: draft.payload },
    output: failed.map((result) => ({ command: result.command, exit_code: result.exitCode, timed_out: result.timedOut, tail: result.outputTail })),
  };
  notify(step, 'warning', 'gate-failed', `${failed.map((result) => result.command).join(', ')} failed: ${draft.topic} of ${hat} became ${topic}.`);
  tell(step, hat, { kind: 'gate-failed', topic: draft.topic, results: failed });
  const blocked: EventDraft = { topic, payload, source: draft.source, by: 'gate' };
  const hasTaker = takersOf(step.topology, topic).length > 0 || !step.topology.hatById.has(hat);
  publishDrafts(step, [hasTaker ? blocked : { ...blocked, target: hat }]);
}
