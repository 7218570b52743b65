import { type Activation, type Feedback, type IterationEnded, type SilentTurn, SYSTEM, toPayloadText } from '../../core/index.ts';
import { publishableBy } from '../../topology/index.ts';
import { type Step, tell } from './step.ts';

const MAX_EVENTS = 10;
/** Characters of a payload, and of the last words. */
const MAX_TEXT = 2000;

/**
 * A turn that ended well and published nothing: who is called when the queue is empty learns of it, so that what the hat had been given is not lost. A
 * fallback turn that came to nothing itself hands on what it had been told.
 */
export function tellSilence(step: Step, activation: Activation, { finalText, treeChanged }: IterationEnded): void {
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
