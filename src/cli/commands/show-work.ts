import { RalphError, toTurnName } from '../../core/index.ts';
import { createTextCleaner, type TurnView, toStatLines, toStatNotes } from '../../views/index.ts';
import { MAX_WIDTH } from '../live/look.ts';
import { printLine, type Terminal } from '../terminal.ts';
import { type ShownRun, toMissing } from './show-parts.ts';

/** What a turn, or (`null`) the whole run, changed: as a patch, or file by file. */
export async function printWork(run: ShownRun, turn: TurnView | null, part: 'diff' | 'stat'): Promise<number> {
  return part === 'diff' ? printDiff(run, turn) : printStat(run, turn);
}

async function printDiff(run: ShownRun, turn: TurnView | null): Promise<number> {
  const { reader, terminal } = run;
  const patch = await reader.diff(turn === null ? null : toTurnName(turn));
  if (patch === null) throw toUnknown(run, turn);
  if (patch.trim() === '') return tellNothing(run, turn);
  const cleaner = createTextCleaner();
  for (const line of reader.redact(patch.trimEnd()).split('\n'))
    printLine(terminal, terminal.isTty ? colourDiff(cleaner.take(line), terminal) : line);
  return 0;
}

function colourDiff(line: string, { style }: Terminal): string {
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('diff ')) return style('heading', line);
  if (line.startsWith('+')) return style('good', line);
  return line.startsWith('-') ? style('bad', line) : line;
}

async function printStat(run: ShownRun, turn: TurnView | null): Promise<number> {
  const { reader, terminal } = run;
  const stat = await reader.stat(turn === null ? null : toTurnName(turn));
  if (stat === null) throw toUnknown(run, turn);
  for (const line of toStatLines(stat, { width: Math.min(terminal.columns(), MAX_WIDTH) })) printLine(terminal, reader.redact(line));
  return 0;
}

/** With what the difference cannot know, such as a turn whose end nobody saw. */
async function tellNothing({ reader, terminal }: ShownRun, turn: TurnView | null): Promise<number> {
  const name = turn === null ? null : toTurnName(turn);
  const stat = await reader.stat(name);
  const notes = stat === null ? [] : toStatNotes(stat);
  terminal.err(`${[`${name === null ? `Run ${reader.runId}` : `Turn ${name}`} changed no file.`, ...notes].join(' ')}\n`);
  return 0;
}

function toUnknown(run: ShownRun, turn: TurnView | null): RalphError {
  if (turn !== null) return toMissing(run, turn, 'What it changed', 'That needs a git repository, and a turn that has ended.');
  return new RalphError({
    code: 'run-diff-missing',
    what: `What run ${run.reader.runId} changed is not known.`,
    why: 'That needs a git repository, in which the working tree is kept around each turn.',
    fix: `What is known of it: ralph show${run.isNewest ? '' : ` ${run.reader.runId}`}`,
  });
}
