import type { ScopeViolations, ToolDenial } from '../core/index.ts';
import type { FactRow } from './fact-rows.ts';
import { toPlainLine } from './plain-line.ts';
import type { TurnView } from './run-view.ts';

const LAYERS: Readonly<Record<ToolDenial['layer'], string>> = {
  flags: 'by its CLI',
  os: 'by the operating system',
  profile: 'by its profile',
};
const SHOWN = 12;

/** What held a hat back in a turn, and what it changed all the same. */
export function toScopeRows({ violations, denials, denied }: Pick<TurnView, 'violations' | 'denials' | 'denied'>): readonly FactRow[] {
  const stopped = denials.slice(0, SHOWN).map(({ tool, use, layer, reason }) => ({
    label: 'Stopped',
    text: `${toPlainLine(tool, 40)}${use === undefined ? '' : ` (${toPlainLine(use, 80)})`} ${LAYERS[layer]}: ${toPlainLine(reason, 160)}`,
  }));
  const rest = denied > stopped.length ? [{ label: 'Stopped', text: `and ${denied - stopped.length} more` }] : [];
  return [...stopped, ...rest, ...(violations === null ? [] : toViolationRows(violations))];
}

function toViolationRows({ changes, total, reverted, diffFile, notes, trusted = [] }: ScopeViolations): readonly FactRow[] {
  const rows = changes.slice(0, SHOWN).map(({ path, what }) => ({ label: 'Forbidden', text: `${what} ${toPlainLine(path, 160)}` }));
  const more = total > rows.length ? [{ label: 'Forbidden', text: `and ${total - rows.length} more` }] : [];
  const fate = total === 0 ? [] : [{ label: 'Forbidden', text: reverted === null ? 'still there' : `${reverted} of ${total} taken back` }];
  const diff = diffFile === null ? [] : [{ label: 'Forbidden', text: `the difference is in the turn's folder: ${diffFile}` }];
  const own = trusted
    .slice(0, SHOWN)
    .map((path) => ({ label: 'Forbidden', text: `changed ${toPlainLine(path, 160)}, which is Ralph's own; undone` }));
  return [
    ...own,
    ...rows,
    ...more,
    ...fate,
    ...diff,
    ...notes.slice(0, SHOWN).map((note) => ({ label: 'Forbidden', text: toPlainLine(note, 200) })),
  ];
}
