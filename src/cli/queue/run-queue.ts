import { relative } from 'node:path';
import type * as App from '../../app/index.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { toSafeJson } from '../../core/text/mask-controls.ts';
import { toShellWord } from '../../core/text/shell-word.ts';
import { RalphError } from '../../core/values/errors.ts';
import { isJsonObject, parseJson } from '../../core/values/json.ts';
import { toFirstLine, toList, toPlainLine } from '../../views/text/plain-text.ts';
import type { ShowOptions } from '../args/options.ts';
import { parseCount, parseRuntime, parseUsd } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { createSignalFan, withAbort, withoutHangup } from '../live/signals.ts';
import { watchRun } from '../live/watch-run.ts';
import { toLocalClock } from '../terminal/local-time.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printDigest } from './print-queue.ts';
import { toTaskRequest } from './task-request.ts';

export interface QueueRunFlags {
  readonly parallel?: string;
  readonly inPlace?: boolean;
  readonly stopOnFailure?: boolean;
  readonly detach?: boolean;
  readonly maxCost?: string;
  readonly maxRuntime?: string;
  readonly format: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

const MAX_PARALLEL = 10;

/** `ralph queue run`: every open task, then the digest. */
export async function performQueueRun(given: CliContext, app: typeof App, call: CommandCall): Promise<number> {
  const flags = call.options as unknown as QueueRunFlags;
  const limits = toLimits(flags);
  if (flags.detach === true) return detach(given, app, call);
  const context = given.tellBegun === null ? given : { ...given, signals: withoutHangup(given.signals) };
  if (flags.quiet === true && flags.verbose === true)
    throw createUsageError('--quiet and --verbose cannot be used together.', 'Leave one of them out.');
  const { cwd, env } = context;
  const under = createUnderway(context);
  try {
    const night = await app.runQueue({
      cwd,
      env,
      ...limits,
      inPlace: flags.inPlace === true,
      stopOnFailure: flags.stopOnFailure === true,
      toRequest: (task, root) => toTaskRequest(context, task, root),
      watch: createWatch(context, app, flags, under),
      tell: createNewsPrinter(context, flags),
      abort: under.abort,
    });
    return await tellEnd(context, app, flags, night);
  } finally {
    under.release();
  }
}

/** The runs that a signal can end, and where they hear of it. */
interface Underway {
  readonly signals: CliContext['signals'];
  /** How many there are. */
  attached: number;
  /** Aborted by the first signal. */
  readonly abort: AbortSignal;
  readonly release: () => void;
}

function createUnderway({ signals, terminal }: CliContext): Underway {
  const controller = new AbortController();
  const fan = createSignalFan(signals, (signal, count) => {
    if (count === 1) terminal.err(`ralph: ${signal}: ${STOPPING}\n`);
    controller.abort();
    // Where no run is there that a signal could end, the second one ends the command, as it does before `ralph run` has begun.
    if (count === 1 || signal !== 'SIGINT' || underway.attached > 0) return;
    fan.release();
    process.kill(process.pid, signal);
  });
  const underway: Underway = { signals: fan.source, attached: 0, abort: controller.signal, release: fan.release };
  return underway;
}

const STOPPING = 'no further task begins; running tasks are stopped and go on with the next `ralph queue run`.';

function createWatch(context: CliContext, app: typeof App, flags: QueueRunFlags, underway: Underway): App.NightOrder['watch'] {
  let { tellBegun } = context;
  return async ({ id }, start) => {
    const terminal = toTaskTerminal(context.terminal, id, flags);
    let isAttached = false;
    const begin: typeof start = async (watch) => {
      const handle = await start(watch);
      if (handle === null) return null;
      isAttached = true;
      underway.attached += 1;
      // Whoever started this one with `--detach` waits for the first run, and is gone after it.
      tellBegun?.(handle.runId);
      tellBegun = null;
      return handle;
    };
    try {
      const own: CliContext = { ...context, signals: underway.signals, terminal, tellBegun: null };
      const order = { app, show: toShow(flags), cwd: context.cwd, tellsNext: false, isOneOfMany: true, start: begin };
      return (await watchRun(own, order))?.end ?? null;
    } finally {
      underway.attached -= Number(isAttached);
    }
  };
}

/** The same command once more, without `--detach`, in a process of its own. */
async function detach(context: CliContext, app: typeof App, { words }: CommandCall): Promise<number> {
  const { cwd, env, terminal } = context;
  const { root, stateDir } = app.listQueue(cwd, env);
  const started = await withAbort(context, (abort) =>
    app.startDetached({
      cwd: root,
      stateDir: relative(root, stateDir),
      words: ['queue', ...words.filter((word) => word !== '--detach')],
      stdin: null,
      env,
      abort,
    }),
  );
  if (started.kind === 'ended') {
    terminal.err(started.output);
    return started.exitCode;
  }
  terminal.out(`The queue is being run (process ${started.pid}).\n`);
  terminal.out(
    `See it:   ralph queue\nFollow:   tail -f ${toShellWord(started.log)}\nStop it:  kill -INT ${started.pid}   (once more: at once)\n`,
  );
  return 0;
}

function toLimits({
  parallel,
  maxCost,
  maxRuntime,
  inPlace,
}: QueueRunFlags): Pick<App.NightOrder, 'parallel' | 'maxCostUsd' | 'maxRuntimeMs'> {
  const count = parallel === undefined ? 1 : parseCount(parallel, '--parallel', 1);
  if (count > MAX_PARALLEL) throw createUsageError(`--parallel ${count} is too many.`, `At most ${MAX_PARALLEL}.`);
  if (count > 1 && inPlace === true) throw createUsageError('--parallel and --in-place cannot be used together.', 'Leave one of them out.');
  const runtime = maxRuntime === undefined ? null : parseRuntime(maxRuntime);
  if (runtime !== null && 'add' in runtime)
    throw createUsageError('--max-runtime with + is for resume.', 'Say how long all tasks together may take: --max-runtime 8h');
  return {
    parallel: count,
    maxCostUsd: maxCost === undefined ? null : parseUsd(maxCost, '--max-cost'),
    maxRuntimeMs: runtime?.set ?? null,
  };
}

function toShow({ format, verbose = false }: QueueRunFlags): ShowOptions {
  const isNdjson = format === 'ndjson';
  return { format: isNdjson ? 'ndjson' : 'text', quiet: !isNdjson && !verbose, verbose, isPlain: true };
}

/** What a run prints, with its task's number: every line of it where that is wanted, else nothing but troubles. */
function toTaskTerminal(terminal: Terminal, id: number, { format, verbose = false }: QueueRunFlags): Terminal {
  const prefix = `[${id}] `;
  const byLine = (write: (text: string) => void, toLine: (line: string) => string) => {
    let rest = '';
    return (text: string): void => {
      const lines = `${rest}${text.replaceAll('\u0007', '')}`.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) write(lines.map((line) => `${toLine(line)}\n`).join(''));
    };
  };
  const addPrefix = (line: string): string => (line === '' ? '' : `${prefix}${line}`);
  const out =
    format === 'ndjson' ? byLine(terminal.out, (line) => withTask(line, id)) : verbose ? byLine(terminal.out, addPrefix) : () => undefined;
  return { ...terminal, out, err: byLine(terminal.err, addPrefix), isTty: false, canMove: false };
}

function withTask(line: string, task: number): string {
  const record = parseJson(line);
  return isJsonObject(record) ? toSafeJson({ ...record, task }) : line;
}

/** A line for each change, as a rule; nothing with `--quiet`, records with `--format ndjson`. */
function createNewsPrinter({ terminal, now }: CliContext, { format, quiet = false }: QueueRunFlags): (news: App.NightNews) => void {
  const warned = new Set<string>();
  const print = terminal.isTty ? terminal.out : (text: string): void => terminal.out(`${toLocalClock(now())} ${text}`);
  /** What is the same for many tasks is said once. */
  const warn = (warning: string): void => {
    if (!warned.has(warning)) terminal.err(`${terminal.errStyle('warning', 'WARN')}: ${warning}\n`);
    warned.add(warning);
  };
  return (news) => {
    if (news.kind === 'warned') return news.warnings.forEach(warn);
    if (news.kind === 'begun' && news.reach !== '') warn(`${news.reach}.`);
    if (format === 'ndjson') terminal.out(`${toSafeJson({ v: 1, kind: 'queue', at: now(), ...toRecord(news) })}\n`);
    else if (news.kind === 'refused') terminal.err(`${toRefusedText(news)}\n`);
    else if (!quiet) print(`${toNewsText(news)}\n`);
  };
}

type ToldNews = Exclude<App.NightNews, { readonly kind: 'warned' }>;

function toRecord(news: ToldNews): Readonly<Record<string, unknown>> {
  if (news.kind === 'limit') return { type: 'limit-reached', text: news.text };
  const { id } = news.task;
  if (news.kind === 'begun')
    return { type: 'task-begun', task: id, runId: news.runId, isResumed: news.isResumed, workspace: news.workspace };
  if (news.kind === 'ended') return { type: 'task-ended', task: id, runId: news.runId, ...news.end };
  return { type: 'task-refused', task: id, code: news.error.code, message: news.error.message };
}

function toNewsText(news: Exclude<ToldNews, { readonly kind: 'refused' }>): string {
  if (news.kind === 'limit') return `No further turn begins: ${news.text} is reached.`;
  const { id, text, file } = news.task;
  if (news.kind === 'ended') {
    const { reason, detail } = news.end;
    return `[${id}] ${reason}${reason === 'completed' || detail === '' ? '' : `: ${toPlainLine(detail, 200)}`}`;
  }
  const asked = text === null ? toPlainLine(file ?? '', 100) : toFirstLine(text, 100);
  return `[${id}] ${news.isResumed ? 'goes on' : 'begun'}: ${asked} (run ${news.runId})`;
}

function toRefusedText({ task, error }: Extract<App.NightNews, { readonly kind: 'refused' }>): string {
  const { message, why, fix } = error instanceof RalphError ? error : { message: String(error), why: undefined, fix: undefined };
  const lines = [message, why, fix].filter((part) => part !== undefined).flatMap((part) => part.split('\n'));
  return lines.map((line) => `[${task.id}] ${toPlainLine(line, 500)}`).join('\n');
}

async function tellEnd(context: CliContext, app: typeof App, { format }: QueueRunFlags, end: App.NightEnd): Promise<number> {
  const { terminal, now } = context;
  const { night, reason, exitCode, tasks } = end;
  if (format === 'ndjson') {
    terminal.out(`${toSafeJson({ v: 1, kind: 'queue', at: now(), type: 'night-ended', night: night.number, reason, exitCode, tasks })}\n`);
    return exitCode;
  }
  if (tasks.length === 0 && reason === 'done') {
    terminal.err('No task is open.\nPut one into the queue: ralph queue add "what is to be done"\n');
    return exitCode;
  }
  const done = tasks.length === 0 ? 'No task was begun.' : `Tasks: ${toList(tasks.map(String), 20)}.`;
  terminal.out(`\n${WHY[reason]} It took ${toDurationText(night.ranMs)}. ${done}\n`);
  await printDigest(context, app, false);
  return exitCode;
}

const WHY: Readonly<Record<App.NightEnd['reason'], string>> = {
  done: 'The queue is done.',
  stopped: 'The queue was stopped.',
  limit: 'The limit for all tasks together is reached.',
  failure: 'A task did not complete, so nothing more was begun (--stop-on-failure).',
};
