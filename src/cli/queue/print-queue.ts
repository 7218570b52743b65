import type * as App from '../../app/index.ts';
import { toUsdText } from '../../core/text/duration.ts';
import type { Review } from '../../views/review/review.ts';
import { cutText, toCount, toFirstLine, toNumberText, toPlainLine } from '../../views/text/plain-text.ts';
import type { CliContext } from '../cli-context.ts';
import { printTable } from '../terminal/print.ts';
import { printJson, printLine, type Terminal } from '../terminal/terminal.ts';

/** `ralph queue list`: every task in the order of the queue. */
export async function printList(context: CliContext, app: typeof App, isJson: boolean): Promise<number> {
  const { cwd, env, terminal } = context;
  const queue = app.listQueue(cwd, env);
  const digest = await createDigest(context, app, queue.root, queue.tasks);
  const rows = queue.tasks.flatMap(({ id }) => digest.find(({ task }) => task === id) ?? []);
  if (isJson) {
    for (const [index, row] of rows.entries()) printJson(terminal, { v: 1, ...row, options: queue.tasks[index]?.options ?? {} });
    return 0;
  }
  if (rows.length === 0) {
    terminal.err('The queue is empty.\nPut a task into it: ralph queue add "what is to be done"\n');
    return 0;
  }
  const cells = rows.map((row, index) => [
    String(row.task),
    toState(row),
    row.asked,
    toOptionsText(queue.tasks[index]?.options ?? {}) || '-',
    row.runId ?? '-',
  ]);
  printTable(terminal, ['task', 'state', 'asked', 'options', 'run'], cells);
  terminal.err(toHint(app, queue));
  return 0;
}

function toState({ outcome, reason }: DigestRow): string {
  return outcome === 'needs you' && reason !== null ? `needs you: ${reason}` : outcome;
}

function toHint(app: typeof App, { pid, tasks }: App.ListedQueue): string {
  const open = tasks.filter((task) => isOpen(app, task)).length;
  if (pid !== null) return `The queue is being run by process ${pid}.\n`;
  if (open > 0) return `Run ${open === 1 ? 'what is open' : `the ${open} that are open`}: ralph queue run\n`;
  return 'No task waits. See what became of the last ones: ralph queue digest. Remove those that are over: ralph queue clear\n';
}

/** As they were typed: `--max-cost 5 --hats preset:tdd`. */
function toOptionsText(options: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [flag];
    return [value].flat().map((word) => `${flag} ${String(word)}`);
  });
  return cutText(words.join(' '), 80);
}

/** `ralph queue digest`, and the end of `ralph queue run`: what became of the tasks of the last night, those first that need the person. */
export async function printDigest(context: CliContext, app: typeof App, isJson: boolean): Promise<number> {
  const { cwd, env, terminal } = context;
  const { root, night, tasks, pid } = app.listQueue(cwd, env);
  const own = tasks.filter((task) => task.night === night.number && night.number > 0);
  const rows = await createDigest(context, app, root, own);
  if (isJson) {
    for (const row of rows) printJson(terminal, { v: 1, night: night.number, ...row });
    return 0;
  }
  const waiting = tasks.filter((task) => task.night !== night.number && task.stage !== 'over').length;
  if (rows.length === 0) terminal.err('No task has been run yet.\nRun those that wait: ralph queue run\n');
  else printRows(terminal, rows);
  const goOn = pid === null || pid === process.pid ? '; go on: ralph queue run' : ` yet: process ${pid} runs the queue`;
  if (waiting > 0 && rows.length > 0) terminal.err(`${toCount(waiting, 'task')} not begun${goOn}\n`);
  return 0;
}

function printRows(terminal: Terminal, rows: readonly DigestRow[]): void {
  printLine(terminal, terminal.style('heading', toHeadline(rows)));
  const heading = ['task', 'outcome', 'asked', 'evidence', 'changed', 'cost', 'branch', 'next'];
  const cells = rows.map((row) => [
    String(row.task),
    toState(row),
    row.asked,
    [row.evidence, ...row.flagged].join('; '),
    toChangedText(row),
    toUsdText(row.costUsd),
    row.branch ?? '-',
    row.next,
  ]);
  printTable(terminal, heading, cells);
}

/** `4 tasks, $3.20: 1 needs you, 1 unproven, 2 proven.` */
function toHeadline(rows: readonly DigestRow[]): string {
  const counts = [...new Set(rows.map(({ outcome }) => outcome))].map(
    (outcome) => `${rows.filter((row) => row.outcome === outcome).length} ${outcome}`,
  );
  const costs = rows.flatMap(({ costUsd }) => costUsd ?? []);
  const cost = costs.length === 0 ? '' : `, ${toUsdText(costs.reduce((sum, usd) => sum + usd, 0))}`;
  return `${toCount(rows.length, 'task')}${cost}: ${counts.join(', ')}.`;
}

function toChangedText({ changed, readFirst }: DigestRow): string {
  if (changed === null) return '-';
  if (changed.files === 0) return 'no file';
  const first = readFirst === 0 ? '' : ` (read ${readFirst} first)`;
  return `${toCount(changed.files, 'file')} +${toNumberText(changed.added)} −${toNumberText(changed.removed)}${first}`;
}

/** What became of a task: what needs the person comes first. */
type TaskOutcome = 'needs you' | 'cut off' | 'unproven' | 'proven' | 'landed' | 'undone' | 'at work' | 'waits';

const RANKS: Readonly<Record<TaskOutcome, number>> = {
  'needs you': 0,
  'cut off': 1,
  unproven: 2,
  proven: 3,
  landed: 4,
  undone: 5,
  'at work': 6,
  waits: 7,
};

interface DigestRow {
  readonly task: number;
  readonly outcome: TaskOutcome;
  /** How its run ended; `null` while it has not, and where there is none. */
  readonly reason: string | null;
  readonly asked: string;
  /** What proves it, or what is wrong. */
  readonly evidence: string;
  /** What a person should look at before it is believed, as its review has it. */
  readonly flagged: readonly string[];
  /** `null` where nobody knows. */
  readonly changed: { readonly files: number; readonly added: number; readonly removed: number } | null;
  /** Files that decide about the work, and those that no gate has seen. */
  readonly readFirst: number;
  readonly costUsd: number | null;
  readonly iterations: number;
  readonly runId: string | null;
  readonly worktree: string | null;
  readonly branch: string | null;
  /** What to type. */
  readonly next: string;
}

/** The tasks, those first that need the person; else in the order of the queue. */
async function createDigest(
  context: Pick<CliContext, 'env'>,
  app: typeof App,
  root: string,
  tasks: readonly App.ListedTask[],
): Promise<readonly DigestRow[]> {
  const rows: DigestRow[] = [];
  for (const task of tasks) rows.push(await toRow(context, app, root, task));
  return rows.toSorted((left, right) => toRank(left) - toRank(right));
}

/** Among those with the same outcome, what is flagged comes first. */
function toRank({ outcome, flagged }: DigestRow): number {
  return RANKS[outcome] - (flagged.length > 0 ? 0.5 : 0);
}

/** Whether the next `ralph queue run` works on it. */
function isOpen(app: Pick<typeof App, 'isCutOff'>, { run, stage }: App.ListedTask): boolean {
  if (stage === 'over') return false;
  return run === null || run.status === 'dead' || (run.status === 'ended' && run.reason !== null && app.isCutOff(run.reason));
}

async function toRow({ env }: Pick<CliContext, 'env'>, app: typeof App, root: string, task: App.ListedTask): Promise<DigestRow> {
  const { run } = task;
  // One run that cannot be read costs nobody the rest of the digest.
  const review = run === null ? null : await app.reviewRun(root, run.runId, env).catch(() => null);
  const outcome = toOutcome(app, task, review);
  const { changed = null, place = null } = review?.facts ?? {};
  const worktree = run?.worktree ?? null;
  const flagged = review?.rows.flatMap(({ label, text }) => (label === 'Flagged' ? [text] : [])) ?? [];
  return {
    task: task.id,
    outcome,
    reason: run?.reason ?? null,
    asked: toAsked(task),
    evidence: toEvidenceText(task, review),
    flagged,
    changed: changed === null ? null : { files: changed.count, added: changed.added, removed: changed.removed },
    readFirst: review?.readFirst.filter(({ why }) => why !== 'large').length ?? 0,
    costUsd: run?.costUsd ?? null,
    iterations: run?.iterations ?? 0,
    runId: run?.runId ?? null,
    worktree,
    branch: worktree === null ? null : (place?.state?.branch ?? `ralph/${worktree}`),
    next: toNext(outcome, task, review),
  };
}

/** What a task asks for, in one line. */
function toAsked({ text, file, run }: App.ListedTask): string {
  const said = text ?? run?.objective ?? '';
  return said === '' ? `what ${toPlainLine(file ?? '', 60)} says` : toFirstLine(said, 60);
}

/** What became of a task, by its run as it stands now: the person may have gone on with it. */
function toOutcome(app: Pick<typeof App, 'isCutOff'>, { run, problem, stage }: App.ListedTask, review: Review | null): TaskOutcome {
  if (run === null) return problem !== null || stage === 'over' ? 'needs you' : 'waits';
  if (run.status === 'running' || run.status === 'parked') return 'at work';
  if (run.status === 'dead' || (run.reason !== null && app.isCutOff(run.reason))) return problem === null ? 'cut off' : 'needs you';
  if (review !== null && isFateOpen(review.facts)) return 'needs you';
  if (review?.facts.undone !== undefined) return 'undone';
  if (review?.facts.landed !== undefined) return 'landed';
  if (run.reason !== 'completed' || review === null) return 'needs you';
  return review.proof?.isProven === true ? 'proven' : 'unproven';
}

function isFateOpen({ isUndoOpen, unknown = [] }: Review['facts']): boolean {
  return isUndoOpen === true || unknown.length > 0;
}

function toEvidenceText({ problem, run }: App.ListedTask, review: Review | null): string {
  const landed = review?.facts.landed;
  if (landed !== undefined) return `brought to ${toPlainLine(landed.onto, 80)}`;
  const open =
    review !== null && isFateOpen(review.facts) ? review.rows.find(({ label }) => label === 'Undone' || label === 'Landed') : undefined;
  if (open !== undefined) return `${open.label}: ${toPlainLine(open.text, 160)}`;
  if (run?.reason === 'completed') return review?.proof?.reason ?? '-';
  if (problem !== null) return toPlainLine(problem, 160);
  if (review === null) return run === null ? '-' : 'its run cannot be read';
  const why = review.rows.find(({ label }) => label === 'Why' || label === 'You')?.text ?? '';
  return toPlainLine(why, 200) || '-';
}

function toNext(outcome: TaskOutcome, { id, run, stage }: App.ListedTask, review: Review | null): string {
  if (outcome === 'cut off' || outcome === 'waits') return 'ralph queue run';
  if (run === null) return stage === 'over' ? `ralph queue remove ${id}` : 'ralph queue run';
  if (outcome === 'at work') return `ralph status ${run.runId}`;
  const commands = review?.next.flatMap((step) => /`(ralph [^`]*)`/.exec(step)?.[1] ?? []) ?? [];
  const isFlagged = review?.rows.some(({ label }) => label === 'Flagged') === true;
  const wanted =
    (outcome === 'proven' && !isFlagged) || outcome === 'landed' ? 'ralph land' : outcome === 'needs you' ? 'ralph resume' : 'ralph review';
  const command = commands.find((text) => text.startsWith(wanted)) ?? 'ralph review';
  return command.includes(run.runId) ? command : command.replace(/^ralph \w+/, `$& ${run.runId}`);
}
