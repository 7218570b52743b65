import { isJsonObject, parseJson, RalphError, toDurationText, toSafeJson } from '../../core/index.ts';
import { toFirstLine, toList, toPlainLine } from '../../views/index.ts';
import type { CommandCall } from '../cli-command.ts';
import type { AppApi, CliContext } from '../cli-context.ts';
import { type ShowOptions, watchRun } from '../live/watch-run.ts';
import { toLocalClock } from '../local-time.ts';
import { parseCount, parseRuntime, parseUsd } from '../parse-values.ts';
import type { Terminal } from '../terminal.ts';
import { createUsageError } from '../usage-error.ts';
import { printDigest } from './print-queue.ts';
import { createSignalFan } from './signal-fan.ts';
import { toTaskRequest } from './task-request.ts';

type NightOrder = Parameters<AppApi['runQueue']>[0];
type NightNews = Parameters<NightOrder['tell']>[0];
type NightEnd = Awaited<ReturnType<AppApi['runQueue']>>;

/** The options of `ralph queue run`. */
export interface QueueRunFlags {
  readonly parallel?: string;
  readonly inPlace?: boolean;
  readonly stopOnFailure?: boolean;
  readonly maxCost?: string;
  readonly maxRuntime?: string;
  readonly format: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

const MAX_PARALLEL = 10;

/** `ralph queue run`: every open task, then the digest. */
export async function performQueueRun(context: CliContext, app: AppApi, { options }: CommandCall): Promise<number> {
  const flags = options as unknown as QueueRunFlags;
  const limits = toLimits(flags);
  if (flags.quiet === true && flags.verbose === true)
    throw createUsageError('--quiet and --verbose do not go together.', 'Leave one of them out.');
  const controller = new AbortController();
  let attached = 0;
  const fan = createSignalFan(context.signals, (signal, count) => {
    if (count === 1)
      context.terminal.err(
        `ralph: ${signal}: no further task is begun; what is under way is ended, and goes on with the next \`ralph queue run\`.\n`,
      );
    controller.abort();
    // Where no run is there that a signal could end, the second one ends the command, as it does before `ralph run` has begun.
    if (count === 1 || signal !== 'SIGINT' || attached > 0) return;
    fan.release();
    process.kill(process.pid, signal);
  });
  const { cwd, env } = context;
  const news = createNewsPrinter(context, flags);
  try {
    const night = await app.runQueue({
      cwd,
      env,
      ...limits,
      inPlace: flags.inPlace === true,
      stopOnFailure: flags.stopOnFailure === true,
      toRequest: (task, root) => toTaskRequest(context, task, root),
      watch: async ({ id }, start) => {
        const own: CliContext = { ...context, signals: fan.source, terminal: toTaskTerminal(context.terminal, id, flags), tellBegun: null };
        let isAttached = false;
        const begin: typeof start = async (watch) => {
          const handle = await start(watch);
          isAttached = handle !== null;
          attached += Number(isAttached);
          return handle;
        };
        try {
          const watched = await watchRun(own, { app, show: toShow(flags), cwd, tellsNext: false, isOneOfMany: true, start: begin });
          return watched?.end ?? null;
        } finally {
          attached -= Number(isAttached);
        }
      },
      tell: news,
      abort: controller.signal,
    });
    return await tellEnd(context, app, flags, night);
  } finally {
    fan.release();
  }
}

function toLimits({ parallel, maxCost, maxRuntime, inPlace }: QueueRunFlags): Pick<NightOrder, 'parallel' | 'maxCostUsd' | 'maxRuntimeMs'> {
  const count = parallel === undefined ? 1 : parseCount(parallel, '--parallel', 1);
  if (count > MAX_PARALLEL) throw createUsageError(`--parallel ${count} is too many.`, `At most ${MAX_PARALLEL}.`);
  if (count > 1 && inPlace === true) throw createUsageError('--parallel and --in-place do not go together.', 'Leave one of them out.');
  const runtime = maxRuntime === undefined ? null : parseRuntime(maxRuntime);
  if (runtime !== null && 'add' in runtime)
    throw createUsageError('--max-runtime with + is for resume.', 'Say how long the night may be: --max-runtime 8h');
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
function createNewsPrinter({ terminal, now }: CliContext, { format, quiet = false }: QueueRunFlags): (news: NightNews) => void {
  const warned = new Set<string>();
  const print = terminal.isTty ? terminal.out : (text: string): void => terminal.out(`${toLocalClock(now())} ${text}`);
  return (news) => {
    if (news.kind === 'warned') {
      const fresh = news.warnings.filter((warning) => !warned.has(warning));
      for (const warning of fresh) terminal.err(`${terminal.errStyle('warning', 'WARN')}: ${warning}\n`);
      for (const warning of fresh) warned.add(warning);
      return;
    }
    if (format === 'ndjson') terminal.out(`${toSafeJson({ v: 1, kind: 'queue', at: now(), ...toRecord(news) })}\n`);
    else if (news.kind === 'refused') terminal.err(`${toRefusedText(news)}\n`);
    else if (!quiet) print(`${toNewsText(news)}\n`);
  };
}

type ToldNews = Exclude<NightNews, { readonly kind: 'warned' }>;

function toRecord(news: ToldNews): Readonly<Record<string, unknown>> {
  if (news.kind === 'limit') return { type: 'limit-reached', text: news.text };
  const { id } = news.task;
  if (news.kind === 'begun')
    return { type: 'task-begun', task: id, runId: news.runId, isResumed: news.isResumed, workspace: news.workspace };
  if (news.kind === 'ended') return { type: 'task-ended', task: id, runId: news.runId, ...news.end };
  return { type: 'task-refused', task: id, code: news.error.code, message: news.error.message };
}

function toNewsText(news: Exclude<ToldNews, { readonly kind: 'refused' }>): string {
  if (news.kind === 'limit') return `No further turn is begun: ${news.text} is reached.`;
  const { id, text, file } = news.task;
  if (news.kind === 'ended') {
    const { reason, detail } = news.end;
    return `[${id}] ${reason}${reason === 'completed' || detail === '' ? '' : `: ${toPlainLine(detail, 200)}`}`;
  }
  const asked = text === null ? toPlainLine(file ?? '', 100) : toFirstLine(text, 100);
  return `[${id}] ${news.isResumed ? 'goes on' : 'begun'}: ${asked} (run ${news.runId})`;
}

function toRefusedText({ task, error }: Extract<NightNews, { readonly kind: 'refused' }>): string {
  const { message, why, fix } = error instanceof RalphError ? error : { message: String(error), why: undefined, fix: undefined };
  const lines = [message, why, fix].filter((part) => part !== undefined).flatMap((part) => part.split('\n'));
  return lines.map((line) => `[${task.id}] ${toPlainLine(line, 500)}`).join('\n');
}

async function tellEnd(context: CliContext, app: AppApi, { format }: QueueRunFlags, end: NightEnd): Promise<number> {
  const { terminal, now } = context;
  const { night, reason, exitCode, tasks } = end;
  if (format === 'ndjson') {
    terminal.out(`${toSafeJson({ v: 1, kind: 'queue', at: now(), type: 'night-ended', night: night.number, reason, exitCode, tasks })}\n`);
    return exitCode;
  }
  if (tasks.length === 0) {
    terminal.err('No task is open.\nPut one into the queue: ralph queue add "what is to be done"\n');
    return exitCode;
  }
  terminal.out(`\n${WHY[reason]} It took ${toDurationText(night.ranMs)}. Tasks: ${toList(tasks.map(String), 20)}.\n`);
  await printDigest(context, app, false);
  return exitCode;
}

const WHY: Readonly<Record<NightEnd['reason'], string>> = {
  done: 'The queue is done.',
  stopped: 'The queue was stopped.',
  limit: 'The night’s limit is reached.',
  failure: 'A task did not complete, so nothing more was begun (--stop-on-failure).',
};
