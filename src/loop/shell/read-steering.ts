import type { Answered, Told } from '../../core/run/inputs.ts';
import type { RunState } from '../../core/run/state.ts';
import type { TurnId } from '../../core/run/turn.ts';
import type { HeardWord } from '../../ports/steering.ts';
import type { LoopPorts } from './loop-ports.ts';

/** What people said, and where the next read begins: behind lines that count for nothing, too. */
export interface HeardWords {
  readonly inputs: readonly (Told | Answered)[];
  readonly offset: number;
}

/**
 * What people have told and answered since then, as inputs, in order; each once, however often it was written.
 *
 * @param state where the last read ended, and what the run has heard already
 * @param opening the turn that is about to begin: its prompt is not written yet
 */
export function readSteering(
  { steering, clock }: Pick<LoopPorts, 'steering' | 'clock'>,
  { steeringOffset: from, heardIds }: Pick<RunState, 'steeringOffset' | 'heardIds'>,
  opening?: TurnId,
): HeardWords {
  const batch = steering?.read(from);
  if (batch === undefined) return { inputs: [], offset: from };
  const heard = new Set(heardIds);
  const words = batch.words.filter(({ word: { id } }) => !heard.has(id) && heard.add(id));
  return { inputs: words.map((word) => toInput(word, clock.now(), opening)), offset: batch.offset };
}

function toInput({ word, offset }: HeardWord, at: number, opening: TurnId | undefined): Told | Answered {
  if (word.kind === 'answer') {
    const { id, question, choice, sender } = word;
    return { type: 'answered', at, id, question, choice, sender, steeringOffset: offset };
  }
  const { id, text, to, when, sender } = word;
  const told: Told = { type: 'told', at, id, text, to, when, sender, steeringOffset: offset };
  return opening === undefined ? told : { ...told, opening };
}
