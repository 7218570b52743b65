import type { Effect } from './effects.ts';
import type { Input } from './inputs.ts';

const INPUTS: Readonly<Record<Input['type'], true>> = {
  'checkpoint-finished': true,
  'environment-failed': true,
  'events-received': true,
  told: true,
  'tell-given': true,
  asked: true,
  answered: true,
  'gates-finished': true,
  'hooks-answered': true,
  'panel-moved': true,
  'iteration-ended': true,
  'iteration-spawned': true,
  'run-resumed': true,
  'run-started': true,
  'stop-requested': true,
  'timer-fired': true,
  'usage-reported': true,
};

const EFFECTS: Readonly<Record<Effect['type'], true>> = {
  'checkpoint-make': true,
  'event-publish': true,
  'event-reject': true,
  'gates-run': true,
  'inbox-append': true,
  'hooks-ask': true,
  'tell-offer': true,
  'question-open': true,
  'question-close': true,
  'panel-ordered': true,
  'iteration-start': true,
  'iteration-stop': true,
  notice: true,
  'run-end': true,
  'timer-set': true,
};

/** Every type of input, by name: a new one does not compile before it is here, and then has to be in what tests go through. */
export const INPUT_TYPES: readonly string[] = Object.keys(INPUTS).sort();

/** Every type of effect, likewise. */
export const EFFECT_TYPES: readonly string[] = Object.keys(EFFECTS).sort();
