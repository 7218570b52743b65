import { constants } from 'node:os';
import type { Duplex } from 'node:stream';

/** How a child ended. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly isUnkillable?: true;
  /** Why it was never started, in the words of what should have started it. */
  readonly problem?: string;
}

/** What process 1 of a namespace says of the program that it started. */
export interface InitReport {
  /** Called once if the program ended and others are still there; process 1 then waits for {@link InitReport.release}. */
  onProgramEnd(listener: (exit: ChildExit) => void): void;
  /** Process 1 may end, and with it everything that is left. */
  release(): void;
  /** How the program ended, by the exit of the child that waited for process 1. Settles once everything was said. */
  explain(exit: ChildExit): Promise<ChildExit>;
}

/** More than a shell says of one program. */
const MAX_CHARACTERS = 4096;
/** Shells say 128 and the number of the signal. */
const SIGNAL_BASE = 128;
/** What is still to be read lies in the pipe already. */
const LAST_WORD_MS = 1000;

/** Listens to process 1, see `INIT_SCRIPT`. */
export function readInit(stream: Duplex): InitReport {
  let text = '';
  let tell: (exit: ChildExit) => void = () => {};
  const ended = new Promise<void>((resolve) => stream.once('end', resolve).once('close', resolve));
  stream.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < MAX_CHARACTERS) text += part;
    const code = /^=(\d+)$/m.exec(text)?.[1];
    if (code !== undefined) tell(toExit(Number(code), text));
  });
  return {
    onProgramEnd(listener) {
      tell = (exit) => {
        tell = () => {};
        listener(exit);
      };
    },
    release: () => void stream.destroy(),
    async explain(exit) {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([ended, new Promise((resolve) => (timer = setTimeout(resolve, LAST_WORD_MS)))]);
      clearTimeout(timer);
      return exit.code === null ? exit : toExit(exit.code, text);
    },
  };
}

/** A shell reports a death by a signal in words of its own; without a word the program itself chose its code. */
function toExit(code: number, text: string): ChildExit {
  const words = text.replace(/^=\d+$/m, '').trim();
  if (words.endsWith('!')) return { code: null, signal: null, problem: words.slice(0, -1).trim() };
  const signal = code > SIGNAL_BASE && words !== '' ? toSignal(code - SIGNAL_BASE) : null;
  return signal === null ? { code, signal } : { code: null, signal };
}

function toSignal(number: number): NodeJS.Signals | null {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] as NodeJS.Signals | undefined) ?? null;
}
