import type { IterationSpawned } from '../../core/index.ts';
import { change, type Step } from './step.ts';

/** The agent's process is there: remembered, so that a later process can end what a dead one left. */
export function onIterationSpawned(step: Step, input: IterationSpawned): void {
  const activations = step.state.activations.map((entry) =>
    entry.iteration === input.iteration && entry.attempt === input.attempt
      ? { ...entry, pid: input.pid, processStart: input.processStart }
      : entry,
  );
  change(step, { activations });
}
