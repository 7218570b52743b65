import { toUsdText } from '../../core/index.ts';
import { cutText, toCount, toNumberText } from '../../views/index.ts';
import type { AppApi, CliContext } from '../cli-context.ts';
import { printTable } from '../print-table.ts';
import { printJson, printLine, type Terminal } from '../terminal.ts';
import { createDigest, type DigestRow, isOpen } from './queue-digest.ts';

type ListedQueue = ReturnType<AppApi['listQueue']>;

/** `ralph queue list`: every task in the order of the queue. */
export async function printList(context: CliContext, app: AppApi, isJson: boolean): Promise<number> {
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

function toHint(app: AppApi, { pid, tasks }: ListedQueue): string {
  const open = tasks.filter((task) => isOpen(app, task)).length;
  if (pid !== null) return `The queue is being run by process ${pid}.\n`;
  if (open > 0) return `Run ${open === 1 ? 'what is open' : `the ${open} that are open`}: ralph queue run\n`;
  return 'Nothing waits. What became of the last tasks: ralph queue digest. Take out what is over: ralph queue clear\n';
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
export async function printDigest(context: CliContext, app: AppApi, isJson: boolean): Promise<number> {
  const { cwd, env, terminal } = context;
  const { root, night, tasks, pid } = app.listQueue(cwd, env);
  const own = tasks.filter((task) => task.night === night.number && night.number > 0);
  const rows = await createDigest(context, app, root, own);
  if (isJson) {
    for (const row of rows) printJson(terminal, { v: 1, night: night.number, ...row });
    return 0;
  }
  const waiting = tasks.filter((task) => task.night !== night.number && task.stage !== 'over').length;
  if (rows.length === 0) terminal.err('No task was worked on yet.\nRun those that wait: ralph queue run\n');
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
