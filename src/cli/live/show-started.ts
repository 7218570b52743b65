import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { StopRequested } from '../../core/run/inputs.ts';
import { quietly } from '../../core/values/result.ts';
import { cleanText } from '../../views/text/plain-text.ts';
import type { SteeringReceipt } from '../../wire/steering.ts';
import type { AppApi, AppContext } from '../cli-command.ts';
import { printStatus } from '../runs/print-status.ts';
import { readView } from '../runs/read-run.ts';
import type { FullScreen } from '../terminal/full-screen.ts';
import { showView, toSignalCode } from './show-view.ts';
import { catchSignals, dieOfHangup, type RunSignals } from './signals.ts';
import { toPlaceText } from './watch-run.ts';

type Started = Awaited<ReturnType<AppApi['startDetached']>>;

const BELL = '\u0007';

const GREETING = 'The run goes on when you leave (q) or close the terminal; ralph watch comes back to it.';

/**
 * Starts a run in a process of its own and shows it until it has ended or its person leaves. Signals to this process keep it from beginning, or are passed on to it, but
 * for that of a terminal that closes.
 *
 * @returns the exit code of the run; 0 where it goes on
 */
export async function showStarted(context: AppContext, start: (abort: AbortSignal) => Promise<Started>): Promise<number> {
  // Until the view lets them go: a signal between its start and the view would be lost, or end this process alone.
  const caught = catchSignals(context.signals, null);
  const early: StopRequested['how'][] = [];
  const abort = new AbortController();
  caught.attach((how) => {
    early.push(how);
    if (how !== 'hangup') abort.abort();
  });
  const { terminal, openFullScreen } = context;
  try {
    const started = await start(abort.signal);
    if (started.kind === 'running' && openFullScreen !== null && !early.includes('hangup'))
      return await show(context, { started, screen: await openFullScreen(), caught, early });
    caught.release();
    if (early.includes('hangup')) dieOfHangup();
    if (started.kind === 'running') return 0;
    terminal.err(started.output);
    return started.exitCode;
  } finally {
    caught.release();
  }
}

interface StartedRun {
  readonly started: Extract<Started, { readonly kind: 'running' }>;
  readonly screen: FullScreen;
  readonly caught: RunSignals;
  /** Signals that came when the run had begun and nobody could hear of it yet. */
  readonly early: readonly StopRequested['how'][];
}

async function show(context: AppContext, { started: { runId, pid, log, exited }, screen, caught, early }: StartedRun): Promise<number> {
  const { terminal, cwd, env } = context;
  const app = await context.loadApp();
  const signal = (name: 'SIGINT' | 'SIGTERM'): void => {
    // It has ended.
    quietly(() => process.kill(pid, name));
  };
  const onSignal = (how: StopRequested['how']): boolean => {
    if (how === 'hangup') return false;
    signal(how === 'terminate' ? 'SIGTERM' : 'SIGINT');
    return true;
  };
  early.forEach(onSignal);
  const run = app.openWatchedRun(cwd, runId, env);
  const end = await showView(context, screen, {
    run: { ...run, steer: { ...run.steer, stop: (how) => (how === 'after' ? run.steer.stop(how) : stopNow(signal)) } },
    isReadOnly: false,
    greeting: GREETING,
    closesAtEnd: true,
    over: exited,
    caught,
    onSignal,
  });
  const hasEnded = run.history.view().end !== null || !app.openRunReader(cwd, runId, env).isAlive;
  const exitCode = hasEnded ? ((await outlast(exited)) ?? 1) : 0;
  // A terminal that was closed reads nothing any more.
  if (end !== 'hangup') {
    terminal.err(readWarnings(log, runId));
    const read = await readView(context, runId);
    const facts = await printStatus(context, read);
    if (hasEnded) {
      const work = { runId, workspace: read.reader.workspace(), reason: read.view.end?.reason ?? '', note: '', facts };
      terminal.out(`${await toPlaceText(context, { app, cwd }, work)}${BELL}`);
    } else terminal.out(`It goes on. Come back to it: ralph watch ${runId}\n`);
  }
  return hasEnded ? exitCode : (toSignalCode(end) ?? 0);
}

/** More of them is not looked through. */
const MAX_WARNINGS_BYTES = 64 << 10;

/** What its process said before its first line: findings about its configuration, and what else a person should know. The view shows nothing of it. */
function readWarnings(log: string, runId: string): string {
  const bytes = Buffer.alloc(MAX_WARNINGS_BYTES);
  try {
    const handle = openSync(log, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const text = cleanText(bytes.toString('utf8', 0, readSync(handle, bytes)));
      const first = text.indexOf(`Ralph ${runId}`);
      return first < 0 ? '' : text.slice(0, text.lastIndexOf('\n', first) + 1);
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}

/** What ctrl+c means to a run: agents get ten seconds; the next one does not wait. */
async function stopNow(signal: (name: 'SIGINT') => void): Promise<SteeringReceipt> {
  signal('SIGINT');
  return { text: 'Stopping: agents at work have 10 seconds to clean up. The same again does not wait for them.', seq: null };
}

/** The process of a run keeps nobody waiting by itself. */
async function outlast<Result>(end: Promise<Result>): Promise<Result> {
  const hold = setInterval(() => undefined, 1000);
  try {
    return await end;
  } finally {
    clearInterval(hold);
  }
}
