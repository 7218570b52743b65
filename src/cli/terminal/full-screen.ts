import type { ReadStream, WriteStream } from 'node:tty';
import { quietly } from '../../core/values/result.ts';
import type { ViewTerminal } from '../../tui/cells/screen.ts';

/** The alternate screen, without a cursor, without breaking of lines, with pastes that are told from keys; cleared once. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J';
/** Everything back, whatever was switched. */
const LEAVE = '\u001b[?2026l\u001b[?2004l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l';

/** A terminal that is held whole, until it is given back. */
export interface FullScreen extends ViewTerminal {
  /** Takes it: keys come one by one, and nobody else writes to it. */
  readonly enter: () => void;
  /** Gives it back as it was; also called when the process ends in any way that can be heard of. */
  readonly leave: () => void;
}

/** Signals that end the process, that somebody may send, and that nothing else of Ralph listens to while a view is open. */
const DEADLY = ['SIGQUIT', 'SIGUSR2', 'SIGALRM'] as const;

/** Where there is no shell to go back to, nothing is stopped: the view comes back by itself. */
const UNSTOPPED_MS = 200;

/** Where a terminal does not say how large it is. */
const UNKNOWN_SIZE = { columns: 80, rows: 24 };

export function createFullScreen(stdin: ReadStream, stdout: WriteStream): FullScreen {
  let isHeld = false;
  const leave = (): void => {
    if (!isHeld) return;
    isHeld = false;
    process.off('exit', leave);
    for (const signal of DEADLY) process.off(signal, dieOf);
    // The terminal is gone.
    quietly(() => stdin.setRawMode(false));
    stdin.pause();
    stdout.write(LEAVE);
  };
  /** The shell has its terminal back before the process ends as it would have without us. */
  const dieOf = (signal: NodeJS.Signals): void => {
    leave();
    process.kill(process.pid, signal);
  };
  const enter = (): void => {
    if (isHeld) return;
    isHeld = true;
    process.once('exit', leave);
    for (const signal of DEADLY) process.on(signal, dieOf);
    stdin.setRawMode(true);
    stdin.setEncoding('utf8');
    stdin.resume();
    stdout.write(ENTER);
  };
  // A terminal that is gone is no error of the view: SIGHUP says it.
  stdin.on('error', () => undefined);
  stdout.on('error', () => undefined);
  return {
    enter,
    leave,
    size: () => ({ columns: stdout.columns || UNKNOWN_SIZE.columns, rows: stdout.rows || UNKNOWN_SIZE.rows }),
    write: (text) => {
      if (isHeld && text !== '' && !stdout.destroyed) stdout.write(text);
    },
    isBehind: () => stdout.writableNeedDrain,
    onInput: (take) => stdin.on('data', (data) => take(String(data))),
    onResize: (call) => stdout.on('resize', call),
    onBack: (call) => {
      process.on('SIGCONT', () => {
        if (!isHeld) return;
        takeAgain(stdin, stdout);
        call();
      });
    },
    suspend: (onBack) => {
      leave();
      waitForShell(() => {
        enter();
        onBack();
      });
    },
  };
}

/** Stops the process, and calls once it goes on. */
function waitForShell(onBack: () => void): void {
  const comeBack = (): void => {
    clearTimeout(timer);
    process.off('SIGCONT', comeBack);
    onBack();
  };
  process.once('SIGCONT', comeBack);
  const timer = setTimeout(comeBack, UNSTOPPED_MS);
  // As the terminal does: whoever started this, such as npx, is stopped with it.
  process.kill(0, 'SIGTSTP');
}

/** A shell has set the terminal as it likes it, and only a change is carried out. */
function takeAgain(stdin: ReadStream, stdout: WriteStream): void {
  stdin.setRawMode(false);
  stdin.setRawMode(true);
  stdout.write(ENTER);
}
