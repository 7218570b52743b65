import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PERMISSION_DECISIONS } from '../../core/hooks/permission-spec.ts';
import { toOrderTitle, toSentenceStart, toTurnName, toTurnTitle } from '../../core/run/turn.ts';
import { RalphError } from '../../core/values/errors.ts';
import { parseJson, toJsonObject } from '../../core/values/json.ts';
import { createEventFold, matchesFilter } from '../../views/fold/fold-events.ts';
import type { TurnView } from '../../views/fold/run-view.ts';
import { toStatLines, toStatNotes } from '../../views/report/change-text.ts';
import type { RunElsewhere } from '../../views/report/elsewhere-report.ts';
import { toRunStatus } from '../../views/report/run-status.ts';
import { toTurnDetails } from '../../views/report/turn-details.ts';
import { toTurnLine } from '../../views/report/turn-line.ts';
import { toRowLines } from '../../views/text/fact-rows.ts';
import { createTextCleaner } from '../../views/text/plain-text.ts';
import type { TurnChoice } from '../args/parse-values.ts';
import { printProse } from '../terminal/print.ts';
import { MAX_WIDTH, printLine, type Terminal } from '../terminal/terminal.ts';
import { createEventPrinter } from './print-events.ts';
import { toReportLines } from './print-report.ts';
import { type ReadRun, readEndFacts } from './read-run.ts';

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
  terminal.err(
    `${[`${name === null ? `Run ${reader.runId}` : toSentenceStart(toOrderTitle(name))} changed no file.`, ...notes].join(' ')}\n`,
  );
  return 0;
}

function toUnknown(run: ShownRun, turn: TurnView | null): RalphError {
  if (run.reader.isCopy) return toElsewhere(run.reader.runId, turn);
  if (turn !== null) return toMissing(run, turn, 'What it changed', 'That needs a git repository, and a turn that has ended.');
  return new RalphError({
    code: 'run-diff-missing',
    what: `What run ${run.reader.runId} changed is not known.`,
    why: 'That needs a git repository, in which Ralph records the working tree before and after each turn, and these records still there.',
    fix: `What is known of it: ralph show${run.isNewest ? '' : ` ${run.reader.runId}`}`,
  });
}

/** Of a run that a fleet keeps what it changed is where it is. */
function toElsewhere(runId: string, turn: TurnView | null): RalphError {
  const name = turn === null ? '' : ` ${toTurnName(turn)}`;
  return new RalphError({
    code: turn === null ? 'run-diff-missing' : 'turn-part-missing',
    what: `What ${turn === null ? `run ${runId}` : toTurnTitle(turn)} changed is not here.`,
    why: 'Over the fleet a run can be viewed except for its file changes: these are in the folder where it is.',
    fix: `Where it is: ralph fleet runs ${runId}\nWhat it changed, to be typed there: ralph show ${runId}${name} --diff`,
  });
}

export interface ShownRun extends ReadRun {
  readonly terminal: Terminal;
  readonly now: () => number;
}

const LISTED_TURNS = 60;

/**
 * The run as a whole: its turns, then how it ended or what it does.
 *
 * @param elsewhere where it went on
 */
export async function printOverview(run: ShownRun, elsewhere: RunElsewhere | null = null): Promise<number> {
  const { reader, view, isNewest, terminal, now } = run;
  printLine(terminal, terminal.style('heading', `Run ${reader.runId}`));
  const isCutOff = view.end === null && !reader.isAlive && !reader.isUnseen;
  const left = view.turns.length - LISTED_TURNS;
  if (left > 0) printLine(terminal, terminal.style('faint', `  … ${left} earlier turns`));
  for (const turn of view.turns.slice(-LISTED_TURNS)) printProse(terminal, `  ${toTurnLine(turn, isCutOff)}`);
  printLine(terminal, '');
  const facts = await readEndFacts(run);
  const status = toRunStatus(view, {
    isAlive: reader.isAlive,
    isUnseen: reader.isUnseen,
    signalPid: reader.signalPid,
    now: now(),
    isNewest,
    facts,
    isOverview: true,
    live: reader.live(),
    fleet: reader.fleet(),
    labelsOf: reader.labelsOf,
    left: reader.left(),
    damage: reader.damage(),
    elsewhere,
  });
  for (const line of toReportLines(status, terminal)) printLine(terminal, line);
  const permissions = await countPermissions(join(reader.runFolder, 'permissions.jsonl'));
  if (permissions !== null) printProse(terminal, `\n${permissions}`);
  return 0;
}

/** What was decided about calls of tools, in a sentence; `null` where nothing was. */
async function countPermissions(path: string): Promise<string | null> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return null;
  const counts = { deny: 0, ask: 0, allow: 0 };
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
    const entry = toJsonObject(parseJson(line));
    const decision = PERMISSION_DECISIONS.find((known) => known === entry['decision']);
    if (decision !== undefined) counts[decision] += 1;
  }
  const said = [`${counts.deny} denied`, `${counts.ask} left to a person`, `${counts.allow} allowed`];
  return counts.deny + counts.ask + counts.allow === 0
    ? null
    : `Permissions: ${said.join(', ')} (permissions.jsonl in the folder of the run)`;
}

/** Everything that is known of one turn, and where the rest is. */
export function printTurn(run: ShownRun, turn: TurnView): number {
  const { reader, terminal } = run;
  const rows = toRowLines(toTurnDetails(turn), {
    width: Math.min(terminal.columns(), MAX_WIDTH),
    styleLabel: (label) => terminal.style('faint', label),
  });
  printLine(
    terminal,
    terminal.style('heading', `Run ${reader.runId}, iteration ${turn.iteration}${turn.attempt === 1 ? '' : `, attempt ${turn.attempt}`}`),
  );
  for (const line of rows) printLine(terminal, line);
  printProse(terminal, `\nMore: ralph show ${toShownName(run, turn)} --prompt | --output | --diff | --stat | --events`);
  return 0;
}

/** As `ralph show` takes it. */
function toShownName({ reader, isNewest }: ShownRun, turn: TurnView): string {
  return isNewest ? toTurnName(turn) : `${reader.runId} ${toTurnName(turn)}`;
}

/** The turn that is meant: the newest attempt of an iteration, or the last turn of all. */
export function requireShownTurn({ view, reader }: ShownRun, choice: TurnChoice | null): TurnView {
  const turn = view.turns.findLast(
    (entry) => choice === null || (entry.iteration === choice.iteration && (choice.attempt === null || entry.attempt === choice.attempt)),
  );
  if (turn !== undefined) return turn;
  const last = view.turns.at(-1);
  throw new RalphError({
    code: 'turn-unknown',
    what:
      choice === null
        ? `Run ${reader.runId} has no turn yet.`
        : `Run ${reader.runId} has no ${choice.attempt === null ? `iteration ${choice.iteration}` : `turn ${choice.iteration}.${choice.attempt}`}.`,
    fix:
      last === undefined
        ? `See what it waits for: ralph status ${reader.runId}`
        : `It has the iterations 1 to ${last.iteration}: ralph show ${reader.runId}`,
    exitCode: 2,
  });
}

/** The prompt or the output of a turn: as it is for a program, without control characters for a terminal. */
export async function printFile(run: ShownRun, turn: TurnView, part: 'prompt' | 'output'): Promise<number> {
  const { reader, terminal } = run;
  const path = findFile(reader, toTurnName(turn), part);
  if (path === null)
    throw toMissing(run, turn, part === 'prompt' ? 'The prompt' : 'The output', 'Its folder was removed, or the turn never began.');
  const cleaner = createTextCleaner();
  for await (const line of createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })) {
    const shown = reader.redact(line);
    printLine(terminal, terminal.isTty ? cleaner.take(shown) : shown);
  }
  return 0;
}

/** What the assistant said; where nothing of that was kept, the raw output. */
function findFile(reader: ShownRun['reader'], name: string, part: 'prompt' | 'output'): string | null {
  const names = part === 'prompt' ? (['prompt.md'] as const) : (['text.md', 'stdout.log', 'stderr.log'] as const);
  const paths = names.map((file) => reader.turnFile(name, file)).filter((path) => existsSync(path));
  return paths.find((path) => statSync(path).size > 0) ?? paths[0] ?? null;
}

/** The events of a turn, or of the whole run. */
export function printEvents({ reader, terminal }: ShownRun, choice: TurnChoice | null): number {
  const print = createEventPrinter(terminal, 'table');
  const filter = { iteration: choice?.iteration };
  const toRows = createEventFold();
  reader.replay((record) => {
    for (const row of toRows(record)) if (matchesFilter(row, filter)) print(row);
  });
  return 0;
}

/** What says that a part of a turn is not there. */
function toMissing(run: ShownRun, turn: TurnView, what: string, why: string): RalphError {
  return new RalphError({
    code: 'turn-part-missing',
    what: `${what} of ${toTurnTitle(turn)} is not there.`,
    why,
    fix: `What is known of it: ralph show ${toShownName(run, turn)}`,
  });
}
