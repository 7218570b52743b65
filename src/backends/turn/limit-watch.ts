import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Clock } from '../../ports/clock.ts';
import { type OwnLog, SILENCE_MS } from '../stream/translator.ts';

/** How often an agent that says little is looked at. */
const LOOK_MS = 5000;
/** Programs that use this share of a processor are at work. */
const BUSY_SHARE = 0.05;
/** How much of a log is read at one look; a line that is longer says nothing. */
const READ_BYTES = 1 << 20;

export interface LimitWatchParts {
  readonly setTimer: Clock['setTimer'];
  readonly now: () => number;
  readonly log: OwnLog;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  /** See `ChildProcessHandle`. */
  readonly isHeld: () => boolean;
  /** Processor time of the agent and all that it started. */
  readonly cpuMs: () => number;
  /** A line of its own log. */
  readonly onLine: (line: string) => void;
  /** It said nothing for too long. */
  readonly onSilence: () => void;
}

/** Watches one turn of an agent that tries again without a word. */
export interface LimitWatch {
  /** The agent said something. */
  readonly touch: () => void;
  readonly close: () => void;
}

/**
 * Looks every 5 s at an agent that tries again without a word: reads the log in which it tells why, and counts how long it has been silent. Looks are
 * counted, not the clock: neither a suspended machine nor a clock that is set makes anybody silent.
 */
export function watchLimits(parts: LimitWatchParts): LimitWatch {
  const { log, setTimer, now, cpuMs } = parts;
  const readLines = createTail(() => log.file?.(parts.env, parts.cwd) ?? null);
  let silentMs = 0;
  let cpuBefore = 0;
  let cancel: (() => void) | null = null;

  const look = (): void => {
    cancel = setTimer(now() + LOOK_MS, look);
    for (const line of readLines()) parts.onLine(line);
    const used = cpuMs();
    const isBusy = used - cpuBefore >= LOOK_MS * BUSY_SHARE;
    cpuBefore = used;
    silentMs = isBusy || parts.isHeld() || log.isAtWork() ? 0 : silentMs + LOOK_MS;
    if (silentMs < SILENCE_MS) return;
    cancel();
    parts.onSilence();
  };

  cancel = setTimer(now() + LOOK_MS, look);
  return {
    touch: () => {
      silentMs = 0;
    },
    close: () => cancel?.(),
  };
}

/** Reads what was added to a file since the last call, line by line. What is no regular file, or is not there yet, has no lines. */
function createTail(find: () => string | null): () => readonly string[] {
  let offset = 0;
  let rest = '';
  return () => {
    const path = find();
    const text = path === null ? '' : readFrom(path, offset);
    offset += Buffer.byteLength(text, 'latin1');
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-READ_BYTES);
    return lines.map((line) => Buffer.from(line, 'latin1').toString('utf8'));
  };
}

/** As latin1, so that no character is torn. A pipe that was put there must not hold the run. */
function readFrom(path: string, offset: number): string {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!fstatSync(fd).isFile()) return '';
    const bytes = Buffer.alloc(READ_BYTES);
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, offset));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
