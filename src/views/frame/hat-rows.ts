import { addUsage, UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { RunView, TurnView } from '../fold/run-view.ts';

/** What a hat has done and used so far. */
export interface HatRow {
  readonly id: string;
  /** Its agents, in the order in which they are tried; of a panel those that wear it together. */
  readonly backends: readonly string[];
  readonly isWorking: boolean;
  readonly turns: number;
  readonly failed: number;
  /** How long its turns took, those under way left out. */
  readonly durationMs: number;
  /** `null` where nobody has told any. */
  readonly costUsd: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A row for each hat of the team in its order, then those that only turns have: Ralph as the safety net, hats of an earlier configuration. */
export function toHatRows({ hats, turns, end }: Pick<RunView, 'hats' | 'turns' | 'end'>): readonly HatRow[] {
  const byHat = new Map<string, TurnView[]>(hats.map(({ id }) => [id, []]));
  for (const turn of turns) {
    const known = byHat.get(turn.hat);
    if (known === undefined) byHat.set(turn.hat, [turn]);
    else known.push(turn);
  }
  return [...byHat].map(([id, own]) => {
    const usage = own.reduce((sum, turn) => addUsage(sum, turn.usage), UNKNOWN_USAGE);
    return {
      id,
      backends: hats.find((hat) => hat.id === id)?.backends ?? [...new Set(own.map(({ backend }) => backend))],
      isWorking: end === null && own.some(({ status }) => status === 'running'),
      turns: own.length,
      failed: own.filter(({ status }) => status === 'failed').length,
      durationMs: own.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
      costUsd: usage.costUsd,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
    };
  });
}
