import { relative, sep } from 'node:path';
import type * as App from '../../app/index.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import { toSafeJson } from '../../core/text/mask-controls.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import type { FinishedRun, RunHandle, RunWatch } from '../../runs/run-api.ts';
import { toProof } from '../../views/fold/fold-proof.ts';
import { createRunViewFold, type RunViewFold } from '../../views/fold/fold-run-view.ts';
import type { RunView } from '../../views/fold/run-view.ts';
import { type NdjsonRecord, toNdjsonEnd, toNdjsonRecord, toNdjsonRun } from '../../views/report/ndjson-record.ts';
import { isTurnDone, toRunReport } from '../../views/report/run-report.ts';
import { toEndedView } from '../../views/report/run-status.ts';
import type { WorkFacts } from '../../views/report/work-facts.ts';
import { toRowLines } from '../../views/text/fact-rows.ts';
import { toCount, toList, toPlainLine } from '../../views/text/plain-text.ts';
import type { ShowOptions } from '../args/options.ts';
import type { CliContext } from '../cli-context.ts';
import { isNewestRun } from '../runs/read-run.ts';
import { printWarnings } from '../terminal/print.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { toStopText } from './run-lines.ts';
import type { RunPrinter } from './run-printer.ts';
import { catchSignals, withoutHangup } from './signals.ts';
import { createTextPrinter } from './text-printer.ts';

const BELL = '\u0007';

export interface WatchOrder {
  readonly app: typeof App;
  readonly show: ShowOptions;
  /** Where the run is looked for once it has ended. */
  readonly cwd: string;
  /** A fold of what the run did before; absent for a new one. */
  readonly fold?: RunViewFold;
  /** Whether the end says what to type next; true by default. */
  readonly tellsNext?: boolean;
  /** One turn was asked for, and no more. */
  readonly isOneTurn?: boolean;
  /** Whether a second Ctrl+C waits for the run to be there, instead of ending the command: others are under way in it. */
  readonly isOneOfMany?: boolean;
  /** Starts the run; `null` when there is nothing to be watched. */
  readonly start: (watch: RunWatch) => Promise<RunHandle | null>;
}

export interface EndedRun {
  readonly handle: RunHandle;
  readonly end: FinishedRun;
  readonly view: RunView;
  readonly exitCode: number;
}

/**
 * Starts a run, shows it, passes signals on, and shows its end; in a process that was detached, tells that it has begun.
 *
 * @returns `null` if `start` had nothing to be watched
 */
export async function watchRun(given: CliContext, order: WatchOrder): Promise<EndedRun | null> {
  const { context, start } = toDetached(given, order.start);
  const printer = guardPrinter(createPrinter(context, order.show), context.terminal);
  const fold = order.fold ?? createRunViewFold();
  const stream = createStream(printer, fold);
  const by = context.isViewed ? 'Ctrl+C or stop in its view' : undefined;
  const signals = order.isOneOfMany === true ? catchSignals(context.signals, null) : catchSignals(context.signals, undefined, by);
  try {
    const handle = await start({
      observe: stream.observe,
      backpressure: context.terminal.backpressure,
      isAttended: () => context.terminal.isTty || context.isViewed,
    });
    if (handle === null) return null;
    printWarnings(context.terminal, handle.warnings);
    stream.open(handle, () => isNewestRun({ ...context, cwd: order.cwd }, order.app, handle.runId));
    signals.attach((how, by) => {
      if (!printer.showsStops) context.terminal.err(`ralph: ${toStopText({ how, by })}\n`);
      handle.stop(how, by);
    });
    const end = await handle.outcome;
    const view = toEndedView(fold.view(), end);
    const isOneTurn = order.isOneTurn ?? false;
    // One turn was asked for and one was done: that is no limit that was hit.
    const exitCode = isOneTurn && isTurnDone(view) ? 0 : end.exitCode;
    const facts = printer.wantsFacts ? await tryToReadFacts(context, order, handle.runId, view) : null;
    const isNewest = isNewestRun({ ...context, cwd: order.cwd }, order.app, handle.runId);
    printer.end({ runId: handle.runId, view, exitCode, facts, isNewest, tellsNext: order.tellsNext ?? true, isOneTurn });
    if (order.show.format === 'text') {
      const { runId, workspace } = handle;
      const { reason, worktree } = end;
      context.terminal.out(await toPlaceText(context, order, { runId, workspace, reason, note: worktree?.note ?? '', facts }));
    }
    if (context.terminal.isTty && order.show.format === 'text') context.terminal.out(BELL);
    for (const warning of end.warnings) context.terminal.err(`ralph: ${warning}\n`);
    // The run is over: what is left to be stopped is the command that tells of it.
    const leaving = new AbortController();
    signals.attach(() => leaving.abort());
    const problem = await handle.notify(end, leaving.signal);
    if (problem !== null) context.terminal.err(`ralph: ${problem}\n`);
    return { handle, end, view, exitCode };
  } finally {
    signals.release();
  }
}

/** In a process that was detached: says when the run has begun, and goes on when a terminal is closed. In every other one nothing changes. */
function toDetached(
  context: CliContext,
  start: WatchOrder['start'],
): { readonly context: CliContext; readonly start: WatchOrder['start'] } {
  const { tellBegun } = context;
  if (tellBegun === null) return { context, start };
  return {
    context: { ...context, signals: withoutHangup(context.signals) },
    start: async (watch) => {
      let hasBegun = false;
      const handle = await start({
        ...watch,
        observe: (record) => {
          hasBegun ||= record.kind === 'input';
          watch.observe(record);
        },
      });
      if (handle !== null && hasBegun) tellBegun(handle.runId);
      return handle;
    },
  };
}

/** Where the workspace is gone, the run's own folder may be, too: that must not cost the person the report. */
async function tryToReadFacts({ env }: CliContext, { app, cwd }: WatchOrder, runId: string, view: RunView): Promise<WorkFacts | null> {
  try {
    return await app.openRunReader(cwd, runId, env).facts(view);
  } catch {
    return null;
  }
}

function createPrinter(context: CliContext, { format, quiet, verbose, isPlain }: ShowOptions): RunPrinter {
  const { terminal, now } = context;
  if (format === 'ndjson') return createNdjsonPrinter(terminal, now);
  if (quiet) return createQuietPrinter(terminal);
  return createTextPrinter({ ...context, terminal: isPlain ? { ...terminal, canMove: false } : terminal }, { verbose });
}

interface Stream {
  readonly observe: (record: RunRecord) => void;
  readonly open: (handle: RunHandle, isNewest: () => boolean) => void;
}

/** Keeps records back until the header is shown: a run may begin before its id is known here. */
function createStream(printer: RunPrinter, fold: RunViewFold): Stream {
  const early: { readonly record: RunRecord; readonly turn: ReturnType<RunViewFold['turnOf']> }[] = [];
  let isOpen = false;
  return {
    observe: (record) => {
      fold.take(record);
      const turn = record.kind === 'input' || record.kind === 'effect' ? fold.turnOf(record) : null;
      if (isOpen) printer.show(record, turn);
      else early.push({ record, turn });
    },
    open: ({ runId, runFolder, workspace, reach, fleet }, isNewest) => {
      printer.begin({
        runId,
        runFolder,
        workspace,
        reach,
        fleet,
        // Looked up only by who says it.
        get isNewest() {
          return isNewest();
        },
        view: fold.view(),
        progress: fold.progress,
      });
      isOpen = true;
      for (const { record, turn } of early.splice(0)) printer.show(record, turn);
    },
  };
}

/** A printer whose defects are not the run's: they are told once, and the run goes on. */
export function guardPrinter(printer: RunPrinter, { err }: Pick<Terminal, 'err'>): RunPrinter {
  let isTold = false;
  const guard =
    <Args extends readonly unknown[]>(print: (...args: Args) => void) =>
    (...args: Args): void => {
      try {
        print(...args);
      } catch (error) {
        if (!isTold) err(`ralph: something could not be shown (${toErrorMessage(error)}); the run goes on.\n`);
        isTold = true;
      }
    };
  return { ...printer, begin: guard(printer.begin), show: guard(printer.show), end: guard(printer.end) };
}

/** One JSON object a line on standard output, and nothing else there (docs/ndjson.md). */
function createNdjsonPrinter(terminal: Terminal, now: () => number): RunPrinter {
  const print = (record: NdjsonRecord): void => terminal.out(`${toSafeJson(record)}\n`);
  return {
    showsStops: false,
    wantsFacts: false,
    begin: ({ runId, runFolder, workspace }) => print(toNdjsonRun({ runId, runFolder, workspace, version: RALPH_VERSION }, now())),
    show: (record) => print(toNdjsonRecord(record, now())),
    end: ({ runId, view, exitCode }) => {
      const { reason, detail } = view.end ?? { reason: 'storage_failed' as const, detail: '' };
      print(toNdjsonEnd({ runId, reason, detail, exitCode, proof: toProof(view) }, now()));
    },
  };
}

const SHOWN = new Set(['Why', 'Cost', 'You', 'Next']);

/** Says nothing but how it ended. */
function createQuietPrinter(terminal: Terminal): RunPrinter {
  return {
    showsStops: false,
    wantsFacts: true,
    begin: () => undefined,
    show: () => undefined,
    end: ({ view, ...facts }) => {
      const { headline, rows } = toRunReport(view, facts);
      const lines = toRowLines(
        rows.filter((row) => SHOWN.has(row.label)),
        { width: terminal.columns() },
      );
      terminal.out(`${[headline, ...lines].join('\n')}\n`);
    },
  };
}

/** A run that has ended, as far as it matters for where its work is. */
interface EndedWork {
  readonly runId: string;
  /** Absolute. */
  readonly workspace: string;
  /** Why it ended. */
  readonly reason: string;
  /** Why a worktree has something that is not committed; empty where nothing is to be said. */
  readonly note: string;
  readonly facts: WorkFacts | null;
}

/** Where the work of a run is, and what can be done with it; empty: in the folder, and committed. */
export async function toPlaceText(
  context: Pick<CliContext, 'cwd' | 'env'>,
  place: { readonly app: typeof App; readonly cwd: string },
  work: EndedWork,
): Promise<string> {
  return isWorktree(work.workspace) ? toWorktreeText(context, place, work) : toUncommittedText(work);
}

/** The folder of `--worktree` runs has this name, whatever the state folder is called. */
function isWorktree(workspace: string): boolean {
  return workspace.includes(`${sep}worktrees${sep}`);
}

/** In the folder itself what a run changed is the person's to commit, or to give up. */
function toUncommittedText({ runId, facts }: EndedWork): string {
  const { changed, place } = facts ?? { changed: null, place: null };
  if (changed === null || place?.state == null) return '';
  const { uncommitted } = place.state;
  const left = changed.files.map(({ path }) => path).filter((path) => uncommitted.first.includes(path));
  if (left.length === 0) return '';
  const count = uncommitted.count > uncommitted.first.length ? `at least ${toCount(left.length, 'file')}` : toCount(left.length, 'file');
  return `Not committed: ${count} that the run changed (${toPlainLine(toList(left, 3), 300)}). See it: ralph show ${runId} --diff. Undo it: ralph undo\n`;
}

/** A run in a worktree leaves nothing in the folder where it was started, so it has to be said where to look, and what to do with what is there. */
async function toWorktreeText(
  { cwd, env }: Pick<CliContext, 'cwd' | 'env'>,
  { app, cwd: root }: { readonly app: typeof App; readonly cwd: string },
  { workspace, reason, note }: EndedWork,
): Promise<string> {
  const place = `The work is in ${relative(cwd, workspace) || '.'}, a git worktree`;
  const worktree = await app.findRunWorktree(root, workspace, env).catch(() => null);
  if (worktree === null) return `${place}. What is in it: ralph worktrees\n`;
  const { name, commits, uncommitted, ignored } = worktree;
  const land = reason === 'completed' ? 'ralph land' : 'ralph land --unfinished';
  const why = note === '' ? '' : ` (${toPlainLine(note, 200)})`;
  if (uncommitted.length > 0)
    return `${place}; not committed there: ${toCount(uncommitted.length, 'file')}${why}. Commit what you want to keep, then: ${land}\n`;
  if (commits > 0) return `${place}, in ${toCount(commits, 'commit')}. Merge it: ${land}\n`;
  if (ignored.length > 0) {
    const names = toPlainLine(toList(ignored, 3), 300);
    return `${place} with nothing but files that git ignores: ${names}. Move what you need out of it, then: ralph worktrees remove ${name} --force\n`;
  }
  return `${place} with nothing in it that is not also here. Remove it: ralph worktrees remove ${name}\n`;
}
