import type { EventDraft } from '../../core/events/event.ts';
import { TOPIC_COMPLETE, toBlockedTopic } from '../../core/events/reserved.ts';
import type { HookAnswer, HooksAnswered } from '../../core/run/inputs.ts';
import type { GateWait } from '../../core/run/state.ts';
import { mayStandFor, publishableBy, takersOf } from '../../topology/routing/queries.ts';
import { holdCompletion, proveCompletion } from './complete.ts';
import { publishDrafts, publishEvents, publishUnhooked } from './publish.ts';
import { change, goOn, type LoopStep, notify, reject, tell } from './step.ts';

/** Hooks said what is to become of events, or of a completion. */
export function onHooksAnswered(step: LoopStep, { request, answers }: HooksAnswered): void {
  const wait = step.state.gateWaits.find((entry) => entry.request === request && entry.hooks !== undefined);
  if (wait === undefined) return;
  change(step, { gateWaits: step.state.gateWaits.filter((entry) => entry !== wait) });
  if (wait.isApart === true) step.iteration = wait.iteration;
  if (wait.completion === null) publishAnswered(step, wait, answers);
  else judgeCompletion(step, wait, wait.completion, answers[0] ?? SILENCE);
  if (step.state.status !== 'ended') goOn(step);
}

const SILENCE: HookAnswer = { isDropped: false, reason: '', told: [], runs: [] };

function publishAnswered(step: LoopStep, wait: GateWait, answers: readonly HookAnswer[]): void {
  const kept = wait.drafts.flatMap((draft, index): readonly EventDraft[] => {
    const answer = answers[index] ?? SILENCE;
    for (const text of answer.told) tell(step, wait.hat, { kind: 'hook-told', topic: draft.topic, text });
    if (answer.isDropped) return drop(step, wait.hat, draft, answer.reason);
    return answer.changed === undefined ? [draft] : changeDraft(step, wait.hat, draft, answer.changed);
  });
  publishUnhooked(step, { hat: wait.hat, iteration: wait.iteration, drafts: kept });
}

function drop(step: LoopStep, hat: string, { topic }: EventDraft, why: string): readonly EventDraft[] {
  reject(step, hat, topic, 'hook', []);
  tell(step, hat, { kind: 'hook-dropped', topic, why });
  notify(step, 'warning', 'hook-dropped', `A hook let ${topic} of ${hat} not through: ${why}`);
  return [];
}

/** What a hook makes of an event is bound by the same contract: it may not publish in a hat's name what the hat may not. */
function changeDraft(step: LoopStep, hat: string, draft: EventDraft, changed: NonNullable<HookAnswer['changed']>): readonly EventDraft[] {
  const next: EventDraft = { ...draft, ...changed };
  const { topic, target } = next;
  const isMoved = topic !== draft.topic || target !== draft.target;
  if (isMoved && !mayStandFor(step.topology, hat, topic, target)) {
    const allowed = publishableBy(step.topology, hat).join(', ') || 'nothing';
    return drop(step, hat, draft, `a hook made ${topic.slice(0, 80)} of it, which ${hat} may not publish (${allowed})`);
  }
  notify(step, 'info', 'hook-changed', `A hook changed ${draft.topic} of ${hat}${topic === draft.topic ? '' : `: it is ${topic} now`}.`);
  return [next];
}

/** A completion that hooks hold back is blocked as one that a gate refuses; people who were heard meanwhile go first. */
function judgeCompletion(step: LoopStep, { hat, iteration, drafts }: GateWait, completion: EventDraft, answer: HookAnswer): void {
  for (const text of answer.told) tell(step, hat, { kind: 'hook-told', topic: completion.topic, text });
  if (!answer.isDropped) {
    if (holdCompletion(step, completion)) return publishEvents(step, { hat, iteration, drafts });
    return proveCompletion(step, { hat, iteration, drafts, completion });
  }
  const { gateRefusals, heldByHooks } = step.state;
  change(step, { gateRefusals: gateRefusals + 1, heldByHooks: { count: (heldByHooks?.count ?? 0) + 1, last: answer.reason } });
  reject(step, hat, completion.topic, 'hook', []);
  tell(step, hat, { kind: 'promise-refused', why: `a hook holds the end back: ${answer.reason}` });
  notify(step, 'warning', 'hook-dropped', `A hook holds the completion by ${hat} back: ${answer.reason}`);
  const topic = toBlockedTopic(TOPIC_COMPLETE);
  const payload = { blocked_by: 'hook', original: completion.topic, published_by: hat, reason: answer.reason };
  const blocked: EventDraft = { topic, payload, source: completion.source, publishedBy: hat, by: 'gate' };
  publishDrafts(step, [takersOf(step.topology, topic).length === 0 ? { ...blocked, target: hat } : blocked]);
  publishEvents(step, { hat, iteration, drafts });
}
