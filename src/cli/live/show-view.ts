import type { WatchedRun } from '../../views/frame/watched-run.ts';
import type { CliContext } from '../cli-context.ts';
import type { FullScreen } from '../terminal/full-screen.ts';
import { toLocalClock } from '../terminal/local-time.ts';
import { showsUnicode, wantsColour } from '../terminal/terminal.ts';
import { catchSignals, dieOfHangup, type RunSignals } from './signals.ts';

export interface ViewWish {
  readonly run: WatchedRun;
  readonly isReadOnly: boolean;
  /** What the last row says at the beginning. */
  readonly greeting: string;
  /** True where the view closes by itself when the run has ended. */
  readonly closesAtEnd: boolean;
  /** What closes the view from outside, as the end of the process of its run does. Absent: nothing. */
  readonly over?: Promise<unknown>;
  /** Signals that are caught already; the view lets them go at its end. Absent: it catches them itself. */
  readonly caught?: RunSignals;
  /** What a signal means to the run; the view is closed by every one that this does not keep (`true`). Absent: they are the view's alone. */
  readonly onSignal?: (how: 'interrupt' | 'kill' | 'terminate' | 'hangup') => boolean;
}

/** Who closed a view: its person or the end of the run, or a signal. */
export type ViewEnd = 'closed' | 'interrupt' | 'terminate' | 'hangup';

/** Shows a run on the whole terminal until somebody leaves. The terminal is given back in every way out. */
export async function showView(
  { signals, env, now }: Pick<CliContext, 'signals' | 'env' | 'now'>,
  screen: FullScreen,
  wish: ViewWish,
): Promise<ViewEnd> {
  const { openView, COLOURS, NO_COLOURS } = await import('../../tui/index.ts');
  const ended: { by: ViewEnd } = { by: 'closed' };
  const caught = wish.caught ?? catchSignals(signals, null);
  screen.enter();
  try {
    const view = withoutOptimising(() =>
      openView({
        ...wish,
        terminal: screen,
        writing: { palette: wantsColour(true, env) ? COLOURS : NO_COLOURS, isUnicode: showsUnicode(env) },
        clock: toLocalClock,
        now,
      }),
    );
    caught.attach((how) => {
      if (how === 'after-iteration' || wish.onSignal?.(how) === true) return;
      ended.by = how === 'kill' ? 'interrupt' : how;
      view.close();
    });
    void wish.over?.then(view.close, view.close);
    await view.closed;
    return ended.by;
  } finally {
    screen.leave();
    caught.release();
    if (ended.by === 'hangup') dieOfHangup();
  }
}

/**
 * What is read before the first frame takes some milliseconds, in which the engine would optimise a hundred functions; a third of the time of that frame would go
 * into it. What is run later is optimised as ever.
 */
function withoutOptimising<Result>(call: () => Result): Result {
  // Whoever has said how the engine is to compile is not overruled afterwards.
  if (process.execArgv.length > 0) return call();
  // Compiled code of the engine's own modules is not taken under another flag, so those that are needed meanwhile are loaded before.
  process.getBuiltinModule('node:zlib');
  process.getBuiltinModule('node:perf_hooks');
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--no-opt');
  try {
    return call();
  } finally {
    setFlagsFromString('--opt');
  }
}

/** The exit code of a command whose view was closed by a signal; `null`: it was not. */
export function toSignalCode(end: ViewEnd): number | null {
  return end === 'closed' ? null : { interrupt: 130, terminate: 143, hangup: 129 }[end];
}
