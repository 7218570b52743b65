import type { Effect, IterationStart } from '../core/run/effects.ts';
import type { Input, JournalEntry } from '../core/run/inputs.ts';
import type { RunState } from '../core/run/state.ts';
import { type TurnId, toTurnName } from '../core/run/turn.ts';

/** What the journal of a run says of turns that workers may still have. */
export interface AwayWatch {
  readonly take: (entry: JournalEntry, effects: readonly Effect[]) => void;
  /** The turns with which a new process can go on: those of one agent, in the folder itself, that wait for nobody. */
  readonly listOpen: (state: RunState) => readonly IterationStart[];
  /** What was told of a turn so far, each as `toSaid` gives it. */
  readonly heardOf: (turn: TurnId) => string[];
}

/** Creates it, to be shown the whole journal. */
export function createAwayWatch(): AwayWatch {
  const orders = new Map<string, IterationStart>();
  const heard = new Map<string, string[]>();
  return {
    take: ({ input }, effects) => {
      const turn = toTurn(input);
      if (input.type === 'iteration-ended') {
        orders.delete(turn ?? '');
        heard.delete(turn ?? '');
      } else if (turn !== null) {
        const told = heard.get(turn) ?? [];
        told.push(toSaid(input));
        heard.set(turn, told);
      }
      for (const effect of effects) if (effect.type === 'iteration-start') orders.set(toTurnName(effect), effect);
    },
    listOpen: ({ activations, questions, stopping }) =>
      activations.flatMap((activation) => {
        const order = orders.get(toTurnName(activation));
        const isAsking = questions.some((question) => question.iteration === activation.iteration && question.answer === undefined);
        const isPlain = activation.copy === undefined && activation.panel === undefined;
        return order === undefined || isAsking || !isPlain || stopping !== null ? [] : [order];
      }),
    heardOf: (turn) => heard.get(toTurnName(turn)) ?? [],
  };
}

/** What a worker said of a turn, whenever that came here. Its name is not in all journals. */
export function toSaid(input: Input): string {
  return JSON.stringify({ ...input, at: 0, worker: undefined });
}

/** The turn that an input is about; `null`: none. */
function toTurn(input: Input): string | null {
  if (!('iteration' in input) || !('attempt' in input)) return null;
  const { iteration, attempt } = input;
  return typeof iteration === 'number' && typeof attempt === 'number' ? toTurnName({ iteration, attempt }) : null;
}
