import type { Tell } from '../../core/events/event.ts';
import { EXTERNAL, TOPIC_GUIDANCE } from '../../core/events/reserved.ts';
import type { Told } from '../../core/run/inputs.ts';
import type { Activation } from '../../core/run/state.ts';
import type { TurnId } from '../../core/run/turn.ts';
import { hasTurns } from '../../topology/routing/queries.ts';
import { joinOpening } from './proceed.ts';
import { change, goOn, hearCommandOnce, isForHat, type LoopStep, notify, order, queueTell, recordDraft } from './step.ts';

/** A person tells the agents something: the turn that runs, or the next one of its hat, is given it. */
export function onTold(step: LoopStep, input: Told): void {
  change(step, { steeringOffset: input.steeringOffset });
  if (!hearCommandOnce(step, input.id)) return;
  const tell = toKnownHat(step, input);
  if (step.state.end !== null) {
    recordDraft(step, { topic: TOPIC_GUIDANCE, payload: tell.text, source: EXTERNAL, sender: tell.sender, told: tell.id }, 'undelivered');
    notify(step, 'warning', 'undelivered-events', 'Told when the run was complete already, so nobody got it.');
    return;
  }
  pass(step, tell, input.opening);
  goOn(step);
}

/** What is for a hat that is not there is for whoever works. */
function toKnownHat(step: LoopStep, { id, text, to, when, sender }: Told): Tell {
  if (to === null || hasTurns(step.topology, to)) return { id, text, to, when, sender };
  notify(step, 'warning', 'unknown-target', `What was told is for "${to.slice(0, 80)}", which is no hat; whoever works next gets it.`);
  return { id, text, to: null, when, sender };
}

function pass(step: LoopStep, tell: Tell, opening: TurnId | undefined): void {
  const isOpening = (turn: Activation): boolean => turn.iteration === opening?.iteration && turn.attempt === opening.attempt;
  const running = step.state.activations.find(({ hat }) => isForHat(tell, hat));
  if (opening !== undefined && running !== undefined && isOpening(running)) {
    queueTell(step, tell, running.hat);
    return joinOpening(step, opening);
  }
  if (running !== undefined && tell.when === 'interrupt') {
    queueTell(step, tell, running.hat);
    return order(step, { type: 'iteration-stop', iteration: running.iteration, attempt: running.attempt, force: false });
  }
  if (running === undefined || tell.when === 'next') {
    if (tell.to !== null) return queueTell(step, tell, tell.to);
    return change(step, { tells: [...step.state.tells, tell] });
  }
  change(step, { tells: [...step.state.tells, tell] });
  order(step, { type: 'tell-offer', iteration: running.iteration, attempt: running.attempt, tell });
}
