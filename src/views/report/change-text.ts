import type { FileStat, RunStat } from '../../core/run/run-stat.ts';
import { type FactRow, toRows } from '../text/fact-rows.ts';
import { cutText, toCount, toNumberText, toPathText, toPlainLine } from '../text/plain-text.ts';
import type { ChangeFacts, RunFate, WorkPlace } from './work-facts.ts';

/** How a list of changed files is laid out. */
export interface StatLayout {
  /** Characters in a line. */
  readonly width: number;
  /** More files than these are only counted. Absent: all are listed. */
  readonly limit?: number;
}

/** All changed files together. */
export type StatSummary = Omit<RunStat, 'files' | 'prefix'> & { readonly count: number; readonly binary: number };

const MIN_NAME = 16;

/** Changed files, a line each, then all of them together. */
export function toStatLines(stat: RunStat, { width, limit = Number.POSITIVE_INFINITY }: StatLayout): readonly string[] {
  const shown = stat.files.slice(0, limit);
  const rows = shown.map((file) => [toFileText(file), toLinesText(file)] as const);
  const room = Math.max(MIN_NAME, width - 4 - longest(rows.map(([, lines]) => lines)));
  const column = Math.min(room, longest(rows.map(([name]) => name)));
  const left = stat.files.length - shown.length;
  return [
    ...rows.map(([name, lines]) => `  ${cutStart(name, column).padEnd(column)}  ${lines}`),
    ...(left === 0 ? [] : [`  … and ${toCount(left, 'more file')}`]),
    toStatText({ ...stat, count: stat.files.length, binary: stat.files.filter(isBinary).length }),
  ];
}

/** `3 files changed, +34 −12 lines`, and what that leaves out. */
function toStatText(stat: StatSummary): string {
  const { count, binary } = stat;
  const parts = [
    count === 0 ? (stat.isWhole ? 'No file changed' : 'No changed file was seen') : `${toCount(count, 'file')} changed`,
    ...(count === 0 ? [] : [`+${toNumberText(stat.added)} −${toNumberText(stat.removed)} lines`]),
    ...(binary === 0 ? [] : [`${toNumberText(binary)} binary`]),
  ];
  return [`${parts.join(', ')}.`, ...toStatNotes(stat)].join(' ');
}

function isBinary({ added, isSubmodule }: FileStat): boolean {
  return added === null && !isSubmodule;
}

/** What the figures leave out. */
export function toStatNotes({ between, isWhole }: Pick<StatSummary, 'between' | 'isWhole'>): readonly string[] {
  return [
    ...(isWhole ? [] : ['The end of the last turn was not seen: what it did is not in this.']),
    ...(between.length === 0
      ? []
      : [
          `Not in this: ${toCount(between.length, 'file')} that changed between turns (${cutText(between.slice(0, 3).map(toPathText).join(', '), 160)}).`,
        ]),
  ];
}

/** Its name, and its former one. */
export function toFileText({ path, from }: FileStat): string {
  return from === null ? toPathText(path) : `${toPathText(from)} → ${toPathText(path)}`;
}

/** `+3 −1`, `new +20`, `deleted −4`, `renamed`, `binary`. */
export function toLinesText({ status, added, removed, isSubmodule }: FileStat): string {
  const word = { added: 'new', changed: '', deleted: 'deleted', renamed: 'renamed' }[status];
  const lines = isSubmodule ? 'submodule' : added === null || removed === null ? 'binary' : toSums(added, removed);
  return [word, lines].filter((part) => part !== '').join(' ') || 'mode';
}

function toSums(added: number, removed: number): string {
  return [added === 0 ? '' : `+${toNumberText(added)}`, removed === 0 ? '' : `−${toNumberText(removed)}`]
    .filter((part) => part !== '')
    .join(' ');
}

/** The end of a path tells more than its beginning. */
export function cutStart(text: string, limit: number): string {
  const characters = [...text];
  return characters.length <= limit ? text : `…${characters.slice(characters.length - limit + 1).join('')}`;
}

function longest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, text.length), 0);
}

const MAX_NAMES = 6;

/** What a run changed: all together with the first files, then what that leaves out. */
export function toChangedTexts(changed: ChangeFacts | null): readonly string[] {
  if (changed === null) return [];
  if (changed.count === 0) return [changed.isWhole ? 'no file' : 'no file that was seen', ...toStatNotes(changed)];
  const lines = changed.added + changed.removed === 0 ? '' : `, +${toNumberText(changed.added)} −${toNumberText(changed.removed)} lines`;
  const names = changed.files.slice(0, MAX_NAMES).map(({ path }) => toPathText(path));
  const more = changed.count - names.length;
  const list = `${names.join(', ')}${more === 0 ? '' : ` and ${toNumberText(more)} more`}`;
  return [`${toCount(changed.count, 'file')}${lines}: ${cutText(list, 240)}`, ...toStatNotes(changed)];
}

/** What a person did with the work since. */
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

/** What keeps the run from landing, as long as some of its work is on no branch. */
export function toUncommittedRows(place: WorkPlace | null): readonly FactRow[] {
  if (place?.commitFailure === undefined || !place.isThere) return [];
  const { worktree, state, commitFailure } = place;
  if (state !== null && state.uncommitted.count === 0 && state.branch === `ralph/${worktree}`) return [];
  return toRows('Left', [`not committed in its worktree: ${toPlainLine(commitFailure, 300)}`]);
}
