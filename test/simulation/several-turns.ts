import type { Input } from '../../src/core/run/inputs.ts';
import type { HatSpec } from '../../src/core/run/run-spec.ts';
import type { RunState } from '../../src/core/run/state.ts';
import { toTurnName } from '../../src/core/run/turn.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import { readEntries } from './world.ts';
import type { World } from './world-type.ts';

/** How many turns may ever have been at work at once, of all hats and of each, whatever the configuration was changed to. */
export function countMost(world: World): { readonly all: number; readonly of: (hat: string) => number } {
  const specs = readEntries(world).flatMap(({ input }) => ('spec' in input && input.spec !== undefined ? [input.spec] : []));
  const placesOf = ({ parallel = 1, alone }: HatSpec): number => (alone === true ? 1 : parallel);
  const hats = specs.flatMap((spec) => spec.hats ?? []);
  const shared = Math.max(1, ...specs.map(({ maxParallel = 1 }) => maxParallel));
  return {
    all: shared > 1 ? shared : Math.max(1, ...hats.map(placesOf)),
    of: (id) => Math.max(1, ...hats.filter((hat) => hat.id === id).map(placesOf)),
  };
}

/**
 * What must hold of hats with several turns at once: each turn is given one task, and what they made comes in by the order of their events. Returns how many of such
 * turns ended behind another one of their hat that was at work with them. Throws with the first thing that does not hold.
 */
export function assertSeveralTurns(world: World): number {
  const fold = createJournalFold();
  let state: RunState | null = null;
  let left: ReadonlySet<string> = new Set();
  let behind = 0;
  for (const entry of readEntries(world)) {
    const { input } = entry;
    if (input.type === 'run-resumed') left = new Set(state?.activations.map(toTurnName));
    // What had ended when its process died comes in before what is taken up.
    if (state !== null && input.type === 'iteration-ended' && !left.has(toTurnName(input))) behind += checkEnd(state, input);
    fold.take(entry);
    state = fold.run().state;
    for (const turn of state.activations) {
      const tasks = turn.events.filter(({ told }) => told === undefined);
      if (turn.place !== undefined && turn.fallback === null && tasks.length > 1)
        throw new Error(`turn ${turn.iteration} of ${turn.hat} was given ${tasks.length} tasks`);
    }
  }
  return behind;
}

function checkEnd({ activations }: RunState, input: Extract<Input, { readonly type: 'iteration-ended' }>): number {
  const own = activations.find(({ iteration, attempt }) => iteration === input.iteration && attempt === input.attempt);
  // What was stopped before its agent began has made nothing.
  if (own?.place === undefined || input.outcome.status === 'interrupted') return 0;
  const { hat, place } = own;
  const others = activations.filter((turn) => turn !== own && turn.hat === hat && turn.place !== undefined);
  if (others.some((turn) => (turn.place ?? 0) < place))
    throw new Error(`turn ${own.iteration} of ${hat} came in before one with an older event`);
  return activations.length < 2 && others.length === 0 ? 0 : 1;
}
