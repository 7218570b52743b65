import type { TellGiven } from '../../core/run/inputs.ts';
import type { Activation } from '../../core/run/state.ts';
import { isForHat, queueTell } from './proceed.ts';
import { change, type Step } from './step.ts';

/** A running agent has it: it is not given again, unless its turn comes to nothing. */
export function onTellGiven(step: Step, { iteration, attempt, ids, isKept }: TellGiven): void {
  const turn = step.state.activations.find((entry) => entry.iteration === iteration && entry.attempt === attempt);
  if (turn === undefined) return;
  const given = step.state.tells.filter((tell) => ids.includes(tell.id) && isForHat(tell, turn.hat));
  if (given.length === 0) return;
  const told = [...(turn.told ?? []), ...given.map((tell) => ({ tell, isKept }))];
  change(step, {
    tells: step.state.tells.filter((tell) => !given.includes(tell)),
    activations: step.state.activations.map((entry) => (entry === turn ? { ...turn, told } : entry)),
  });
}

/**
 * What becomes of what people told a turn that ended: what its agent was not given waits for its hat; what it was given is given again where the turn failed,
 * or was interrupted and its conversation is lost.
 */
export function releaseTells(step: Step, turn: Activation, status: 'succeeded' | 'failed' | 'interrupted'): void {
  const isLost = (isKept: boolean): boolean => status === 'failed' || (status === 'interrupted' && !isKept);
  const again = (turn.told ?? []).filter(({ isKept }) => isLost(isKept)).map(({ tell }) => tell);
  const waiting = step.state.tells.filter(({ to }) => to === turn.hat);
  change(step, { tells: step.state.tells.filter((tell) => !waiting.includes(tell)) });
  for (const tell of [...again, ...waiting]) queueTell(step, tell, turn.hat);
}
