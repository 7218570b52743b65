import {
  type EventDraft,
  EXTERNAL,
  type GateResult,
  type GateSpec,
  type GateWait,
  isRequiredGate,
  matchesTopic,
  TOPIC_COMPLETE,
} from '../../core/index.ts';
import { block } from './block-event.ts';
import { publishDrafts } from './publish.ts';
import { change, count, order, type Step } from './step.ts';

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
    guarded.hat,
    guarded.drafts.map((draft) => draft.topic),
  );
  if (gates.length === 0) return publishDrafts(step, guarded.drafts);
  askGates(step, { ...guarded, completion: null, gates });
}

/** The gates on events of a hat whose patterns match one of the topics, by index. */
export function gatesOn(step: Step, hat: string, topics: readonly string[]): readonly number[] {
  return step.topology.spec.gates.flatMap((gate, index) =>
    isFor(gate, hat) && topics.some((topic) => isGuarded(step, gate, topic)) ? [index] : [],
  );
}

/**
 * The gates that must agree before the run may end: those on the topics, and every other required one, for a pass on files that have
 * changed since proves nothing. One that is only for some hats is left out unless it was asked in this run.
 */
export function gatesOnEnd(step: Step, hat: string, topics: readonly string[]): readonly number[] {
  const guarding = gatesOn(step, hat, topics);
  const isDue = (gate: GateSpec, index: number): boolean =>
    isRequiredGate(gate) && (gate.hats === undefined || step.state.askedGates.includes(index));
  return step.topology.spec.gates.flatMap((gate, index) => (guarding.includes(index) || isDue(gate, index) ? [index] : []));
}

/** What comes from outside has been through no hat: every gate on its topic looks at it. */
function isFor({ hats }: GateSpec, hat: string): boolean {
  return hats === undefined || hat === EXTERNAL || hats.includes(hat);
}

/** `task.complete` stands for every way to complete, so a gate on the promise guards it too. */
function isGuarded(step: Step, gate: GateSpec, topic: string): boolean {
  return gate.on.some((pattern) => matchesTopic(pattern, topic) || (topic === TOPIC_COMPLETE && pattern === step.topology.spec.promise));
}

/** Orders gates and keeps what waits for them. */
export function askGates(step: Step, wait: Omit<GateWait, 'request'>): void {
  const request = count(step, 'request');
  const { hat, iteration, drafts, completion, gates, round } = wait;
  const gateWait: GateWait = { request, gates, hat, iteration, completion, drafts, ...(round === undefined ? {} : { round }) };
  const askedGates = [...new Set([...step.state.askedGates, ...gates])].sort((left, right) => left - right);
  change(step, { gateWaits: [...step.state.gateWaits, gateWait], askedGates });
  orderGates(step, gateWait);
}

/** Gives the order, for the first time or, after a crash, again. */
export function orderGates(step: Step, { request, gates, completion, drafts, isBaseline }: GateWait): void {
  const topics = completion === null ? drafts.map((draft) => draft.topic) : [completion.topic];
  order(step, { type: 'gates-run', request, gates, topics: [...new Set(topics)], ...(isBaseline && { isBaseline }) });
}

/** Publishes what the gates let through; what they hold back becomes a blocked event (decisions, section 5). */
export function publishJudged(step: Step, wait: GateWait, failures: readonly GateResult[]): void {
  const passed: EventDraft[] = [];
  for (const draft of wait.drafts) {
    const guards = gatesOn(step, wait.hat, [draft.topic]);
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
