import type { IterationSpawned } from '../../core/run/inputs.ts';
import { type TurnId, toSwitchText } from '../../core/run/turn.ts';
import { change, type LoopStep, notify } from './step.ts';

/** The agent's process is there: remembered, so that a later process can end what a dead one left. Another hat than before is told. */
export function onIterationSpawned(step: LoopStep, input: IterationSpawned): void {
  const isMeant = ({ iteration, attempt }: TurnId): boolean => iteration === input.iteration && attempt === input.attempt;
  const hat = step.state.activations.find(isMeant)?.hat;
  const activations = step.state.activations.map((entry) =>
    isMeant(entry) ? { ...entry, pid: input.pid, processStart: input.processStart } : entry,
  );
  change(step, { activations });
  if (hat === undefined || hat === step.state.lastHat) return;
  change(step, { lastHat: hat });
  // Without a profile the agent has its own tools, and nobody can count them.
  if (input.tools !== undefined) notify(step, 'info', 'hat-switched', toSwitchText(hat, input.tools));
}
