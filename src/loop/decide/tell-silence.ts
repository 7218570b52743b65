import type { MissedSignal } from '../../core/events/event.ts';
import { SYSTEM } from '../../core/events/reserved.ts';
import type { Feedback, SilentTurn } from '../../core/run/feedback.ts';
import type { IterationEnded } from '../../core/run/inputs.ts';
import type { Activation } from '../../core/run/state.ts';
import { toPayloadText } from '../../core/values/json.ts';
import { isCompletionTopic, mayEnd, mayPublish, publishableBy } from '../../topology/routing/queries.ts';
import { type LoopStep, notify, tell } from './step.ts';

/**
 * Tells people and the hat what was almost an event or the promise, after a turn that published nothing. What the hat may not publish anyway is left out:
 * it only spoke of it.
 */
export function tellMissed(step: LoopStep, hat: string, missed: readonly MissedSignal[]): void {
  const { topology } = step;
  const isAllowed = ({ topic }: MissedSignal): boolean =>
    topic === null || isCompletionTopic(topology, topic) ? mayEnd(topology, hat) : mayPublish(topology, hat, topic);
  for (const { topic, line } of missed.filter(isAllowed)) {
    const what = topic === null ? `the promise ${topology.spec.promise}` : topic;
    const how = topic === null ? ` It counts as ${topology.spec.promise} on a line of its own, with nothing around it.` : '';
    notify(step, 'warning', 'missed-signal', `${hat} wrote ${what} in a way that does not count: ${JSON.stringify(line)}.${how}`);
    tell(step, hat, { kind: 'missed', topic, line });
  }
}

/** Events that the note about a silent turn lists. */
const MAX_EVENTS = 10;
/** Characters of a payload, and of the last words. */
const MAX_TEXT = 2000;

/**
 * Tells the fallback hat of a turn that ended well and published nothing, so that the events that the turn was given are not lost. A fallback turn that
 * came to nothing itself hands on what it had been told.
 */
export function tellSilence(step: LoopStep, activation: Activation, { finalText, treeChanged }: IterationEnded): void {
  const { topology } = step;
  if (topology.coordination === 'solo') return;
  const { hat, iteration, fallback, feedback } = activation;
  const isSilent = (note: Feedback): boolean => note.kind === 'silent';
  if (fallback !== null && treeChanged !== true) for (const note of feedback.filter(isSilent)) tell(step, topology.fallback, note);
  const events = activation.events.filter(({ source, payload }) => source !== SYSTEM || toPayloadText(payload).trim().length > 0);
  if (hat === topology.fallback && events.length === 0) return;
  const turn: SilentTurn = {
    hat,
    iteration,
    events: events
      .slice(0, MAX_EVENTS)
      .map(({ id, topic, payload }) => ({ id, topic, payload: toPayloadText(payload).slice(0, MAX_TEXT) })),
    allowed: publishableBy(topology, hat),
    words: finalText.slice(-MAX_TEXT),
  };
  tell(step, topology.fallback, { kind: 'silent', ...turn });
}
