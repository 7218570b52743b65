import type { HatRow } from '../../wire/hat-row.ts';
import type { RunView } from '../fold/run-view.ts';

/** A row for each hat of the team in its order, then those that only turns have: Ralph as the safety net, hats of an earlier configuration. */
export function toHatRows({ hats, turns, end }: Pick<RunView, 'hats' | 'turns' | 'end'>): readonly HatRow[] {
  const rows = new Map<string, HatRowDraft>(hats.map(({ id, backends }) => [id, createDraft(id, backends)]));
  for (const turn of turns) {
    const row = rows.get(turn.hat) ?? createDraft(turn.hat, [turn.backend]);
    rows.set(turn.hat, row);
    row.turns += 1;
    row.failed += turn.status === 'failed' ? 1 : 0;
    row.isWorking ||= turn.status === 'running' && end === null;
    row.durationMs += turn.durationMs ?? 0;
    row.costUsd = add(row.costUsd, turn.usage.costUsd);
    row.inputTokens = add(row.inputTokens, turn.usage.inputTokens);
    row.outputTokens = add(row.outputTokens, turn.usage.outputTokens);
  }
  return [...rows.values()];
}

type HatRowDraft = { -readonly [Key in keyof HatRow]: HatRow[Key] };

function createDraft(id: string, backends: readonly string[]): HatRowDraft {
  return { id, backends, isWorking: false, turns: 0, failed: 0, durationMs: 0, costUsd: null, inputTokens: null, outputTokens: null };
}

/** What nobody has told adds nothing; where nobody has told anything, nothing is known. */
function add(sum: number | null, part: number | null): number | null {
  return part === null ? sum : (sum ?? 0) + part;
}
