import type { FactRow } from './fact-rows.ts';
import { toPathText } from './path-text.ts';
import { toPlainLine } from './plain-line.ts';
import type { RunFate, WorkPlace } from './run-facts.ts';

/** What a person made of it since. */
export function toFateRows(fate: RunFate | null): readonly FactRow[] {
  const { undone, landed, isUndoOpen, unknown = [] } = fate ?? {};
  const moment = undone?.toTurn === 0 ? 'before its first turn' : `behind turn ${undone?.toTurn}`;
  return [
    ...toRows('Undone', undone === undefined ? [] : [`its files were put back to what they were ${moment}`]),
    ...toRows('Undone', isUndoOpen ? ['an undo was interrupted: some files are as they were, some as they will be'] : []),
    ...toRows('Landed', landed === undefined ? [] : [`its branch was brought to ${toPathText(landed.onto)}`]),
    ...unknown.map(({ of, file }) => ({
      label: of === 'undone' ? 'Undone' : 'Landed',
      text: `nobody can tell: ${file} in the folder of the run cannot be read`,
    })),
  ];
}

/** What stands in the way of landing, as long as something of the run is on no branch of its own. */
export function toUncommittedRows(place: WorkPlace | null): readonly FactRow[] {
  if (place?.commitFailure === undefined || !place.isThere) return [];
  const { worktree, state, commitFailure } = place;
  if (state !== null && state.uncommitted.count === 0 && state.branch === `ralph/${worktree}`) return [];
  return toRows('Left', [`not committed in its worktree: ${toPlainLine(commitFailure, 300)}`]);
}

function toRows(label: string, texts: readonly string[]): readonly FactRow[] {
  return texts.map((text) => ({ label, text }));
}
