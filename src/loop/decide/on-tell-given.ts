import type { TellGiven } from '../../core/run/inputs.ts';
import type { Activation } from '../../core/run/state.ts';
import type { TurnOutcome } from '../../core/run/turn.ts';
import { change, isForHat, type LoopStep, order, queueTell } from './step.ts';

/** A running agent has it: it is not given again, unless its turn comes to nothing. */
export function onTellGiven(step: LoopStep, { iteration, attempt, ids, isKept }: TellGiven): void {
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

interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly isPlannedAgain: boolean;
  /** What people told its hat was offered to this turn, of all of the hat. */
  readonly wasTold: boolean;
}

/**
 * What becomes of what people told a turn that ended: what its agent was not given waits for its hat; what it was given is given again where the turn failed.
 * Where it is planned again, and goes on with the conversation that holds what it was given, the plan has it.
 */
export function releaseTells(step: LoopStep, turn: Activation, { outcome, isPlannedAgain, wasTold }: TurnEnd): void {
  const { told = [], hat, backend } = turn;
  const goesOn = isPlannedAgain && (outcome.status === 'interrupted' || isContinued(outcome));
  const tells = goesOn ? told.filter(({ isKept }) => isKept) : [];
  const again = outcome.status === 'succeeded' ? [] : told.filter((given) => !tells.includes(given));
  const forHat = step.state.tells.filter(({ to }) => to === hat);
  // Where another turn of the hat is at work, that one may be given it.
  const next = step.state.activations.find((other) => other.hat === hat);
  const waiting = next === undefined ? forHat : [];
  if (next !== undefined && wasTold)
    for (const tell of forHat) order(step, { type: 'tell-offer', iteration: next.iteration, attempt: next.attempt, tell });
  change(step, { tells: step.state.tells.filter((tell) => !waiting.includes(tell)) });
  for (const tell of [...again.map(({ tell: given }) => given), ...waiting]) queueTell(step, tell, hat);
  const { plans } = step.state;
  const plan = tells.length > 0 ? plans.find(({ events }) => events === turn.events) : undefined;
  if (plan !== undefined)
    change(step, { plans: plans.map((entry) => (entry === plan ? { ...plan, kept: { hat, backend, tells } } : entry)) });
}

/** The conversation of such a turn is gone on with by its next attempt. */
function isContinued(outcome: TurnOutcome): boolean {
  return outcome.status === 'failed' && (outcome.failure.class === 'transient' || outcome.failure.class === 'limit');
}
