import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Environment } from '../core/values/environment.ts';
import type { Backpressure, ClockHold, Isolation } from '../ports/program.ts';

export type ProcessInput =
  /** `/dev/null`: end of file at once. Several agent CLIs block on a silent, open pipe. */
  | { readonly kind: 'none' }
  /** The whole text, then end of file. Any size; kept in an unlinked temporary file, so a child that never reads it costs nothing. */
  | { readonly kind: 'text'; readonly text: string | Uint8Array }
  /** A regular file, handed over as it is: constant memory, any size. */
  | { readonly kind: 'file'; readonly path: string }
  /** A pipe that stays open for {@link ChildProcessHandle.write} until {@link ChildProcessHandle.endInput} (JSON-RPC over stdio). */
  | { readonly kind: 'open' };

/** How to start one child process and what to do with what it says. Nothing is read from this process's own environment. */
export interface ProcessSpec {
  /** Program: looked up in `env.PATH`, or a path (relative ones count from `cwd`). */
  readonly command: string;
  /** Arguments, handed over one by one; no shell is involved. */
  readonly args: readonly string[];
  /** Working folder. */
  readonly cwd: string;
  /** The complete environment of the child. */
  readonly env: Environment;
  /** Default: none. */
  readonly input?: ProcessInput;
  /**
   * Opaque token without white space that the child gets as `RALPH_TURN`. Every process that inherits it belongs to this turn and
   * is ended with it, also one that left the process group. Without a marker only the process group and session are looked after.
   */
  readonly marker?: string;
  /** The namespaces that the child gets for itself and all that comes from it: with its end nothing of it runs any more. Default: none. */
  readonly isolation?: Isolation | undefined;
  /** Nothing in it opens its outputs by name (`/dev/stdout`), so sockets will do, and the pipes in stock are left to others. Default: pipes. */
  readonly isContentWithSockets?: true;

  /** File to which standard output is appended, byte for byte. Its folder must exist. */
  readonly stdoutPath?: string;
  /** File to which standard error is appended, byte for byte. Its folder must exist. */
  readonly stderrPath?: string;
  /** Largest size of each log; what comes later is counted, and the count is noted at the log's end. Default: no limit. */
  readonly maxLogBytes?: number;

  /** Longest line that is handed on, default 8 MB; a longer one arrives once, cut to that size, with `cut` true. */
  readonly maxLineBytes?: number;
  /** `isOpen`: the output ended before the line did. */
  readonly onStdoutLine?: (line: string, cut: boolean, isOpen: boolean) => void;
  /** The beginning of a line that stands for 200 ms without an end (of at most 64 KB), again whenever it has grown; the line itself follows. */
  readonly onStdoutPart?: (text: string) => void;
  readonly onStderrLine?: (line: string, cut: boolean) => void;
  /** Text as it arrives, split anywhere but never inside a character. */
  readonly onStdoutChunk?: (text: string) => void;
  /** The bytes as they arrive. They may be kept. */
  readonly onStdoutBytes?: (bytes: Buffer) => void;
  readonly onStderrBytes?: (bytes: Buffer) => void;

  /** While it says so, the outputs are not read: the child waits at its full pipe. Default: they are always read. */
  readonly backpressure?: Backpressure | undefined;

  /** While it is held, neither of the two limits below runs. Absent: they always do. */
  readonly hold?: ClockHold | undefined;
  /** Longest life of the child; 0 or absent: no limit. */
  readonly timeoutMs?: number;
  /** Longest silence on both outputs; 0 or absent: no limit. Time in which the child is held back does not count. */
  readonly idleTimeoutMs?: number;
  /** Time between SIGTERM and SIGKILL when a timeout or a failing log stops the child. Default 10 s. */
  readonly stopGraceMs?: number;
  /**
   * Longest time in which output is still read after the child's end while another process holds its pipes open and goes on writing; 150 ms of
   * silence end it. Default 2 s.
   */
  readonly drainMs?: number;
  /** Time between SIGTERM and SIGKILL for what the child left behind. Default 500 ms. */
  readonly leftoverGraceMs?: number;
}

/** Why a child was ended from outside. `killed` wins over `stopped`: the person lost patience. */
export type StopReason = 'timeout' | 'idle-timeout' | 'stopped' | 'killed';

/** A failed system call, as `code` (`ENOENT`, `ENOSPC`) and the system's own words. */
export interface ProcessFault {
  readonly code: string;
  readonly message: string;
}

/** How a child ended. Every field is final: nothing of the turn runs any more, except what even SIGKILL could not end. */
export interface ProcessResult {
  /** `spawn-error`: no process was ever there, see `error`. */
  readonly status: 'exited' | 'signaled' | 'spawn-error';
  /** Null unless `status` is `exited`. */
  readonly exitCode: number | null;
  /** Null unless `status` is `signaled`. */
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started; `unkillable` when SIGKILL had no effect within 5 s. */
  readonly error?: ProcessFault;
  /** From the start to the child's end, without draining and cleaning up. */
  readonly durationMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Set when the child was ended from outside, whatever code it exited with. */
  readonly stopReason?: StopReason;
  /** Processes of this turn that outlived the child and had to be ended. */
  readonly leftovers: number;
  /** The last 8 KB of standard error. */
  readonly stderrTail: string;
  /** A log could not be written; the child was stopped for it (or never started). */
  readonly logError?: ProcessFault;
  /** The first error thrown by one of the spec's callbacks. It did not stop the child. */
  readonly callbackError?: ProcessFault;
}

export interface ChildProcessHandle {
  /** Undefined when the child could not be started. */
  readonly pid: number | undefined;
  /** See `processStartTime`; with the pid it names this process beyond any reuse of the pid. */
  readonly startTime: string | undefined;
  /** True once the child, or what it left behind, was told to end: what it says from then on may be said under pressure. */
  readonly isBeingEnded: boolean;
  /** True while the child is kept waiting by a slow log or reader: its silence is our own doing. */
  readonly isHeld: boolean;
  /** Processor time that the child and all that came from it have used so far, in milliseconds; 0 where the system tells nothing of it. */
  cpuMs(): number;
  /** Never rejects. Settles when the child and everything it started are gone and all callbacks have been called. */
  readonly result: Promise<ProcessResult>;
  /**
   * Writes one line to an `open` input; the line feed is added. True once the system took it, false when the input is closed.
   * Await it: what is not awaited is held in memory.
   */
  write(line: string): Promise<boolean>;
  /** Closes an `open` input. */
  endInput(): void;
  /**
   * Ends the whole tree: SIGTERM, up to `graceMs` (default 10 s) of patience, then SIGKILL. Safe to call at any time and any number
   * of times; the first call's grace counts.
   */
  stop(graceMs?: number): Promise<ProcessResult>;
  /** SIGKILL to the whole tree, now; also while a stop is under way. */
  kill(): Promise<ProcessResult>;
}

/** A child that runs, or has run: what `launchChild` makes. */
export interface LaunchedChild {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Where process 1 of the child's own namespace tells how the child ended; null without a namespace. */
  readonly init: Duplex | null;
}

/** Who is told what happens while the outputs are read. */
export interface OutputListener {
  readonly onActivity: () => void;
  readonly onLogError: () => void;
}

export interface ChildOutputs {
  /** Begins to read. */
  attach(stdout: Readable, stderr: Readable, listener: OutputListener): void;
  /** Settles when both have ended. */
  readonly ended: Promise<unknown>;
  /** True while the child is kept waiting, by a slow log or listener. */
  isHeld(): boolean;
  /** Stops reading, hands on what is left over, closes the logs. */
  finish(): Promise<void>;
  /** The part of the result that the outputs know. */
  report(): Pick<ProcessResult, 'stdoutBytes' | 'stderrBytes' | 'stderrTail' | 'logError' | 'callbackError'>;
}

export type EndSignal = 'SIGTERM' | 'SIGKILL';

/** A child that leads a process group of its own, and everything that comes from it. */
export interface ProcessTree {
  /** The child's start time; undefined where the system tells nothing about processes. */
  readonly rootStartTime: string | undefined;
  /** The child was collected: from now on its pid may belong to another process. */
  markRootExited(): void;
  /** Signals the group and every member elsewhere. Meant to be called once per signal, SIGTERM first. */
  signal(signal: EndSignal): void;
  /** True if any member was told to end. */
  hasSignalled(): boolean;
  /** Processor time that the members have used so far, in milliseconds; 0 where the system tells nothing of it. */
  cpuMs(): number;
  /** Remembers which processes descend from the child now: later nothing may lead to them. Cheap. */
  look(): void;
  /** Whether nothing is left in a namespace but the two processes that keep it. */
  isEmptyInside(): boolean;
  /** Ends what is left after the child; the number of processes that were ended since its exit. */
  endRest(graceMs: number): Promise<number>;
}

/** Whatever was thrown, as a fault. Never throws. */
export function toFault(error: unknown): ProcessFault {
  if (!(error instanceof Error)) return { code: 'unknown', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return { code, message: error.message };
}
