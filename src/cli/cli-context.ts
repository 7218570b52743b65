import type { Command } from 'commander';
import type { openWatchedRun } from '../catalog/watched-run.ts';
import type { findElsewhere } from '../fleet-runs/find-elsewhere.ts';
import type { openRunReader } from '../runs/read-run.ts';
import type { CommandEntry } from './args/command-table.ts';
import type { FullScreen } from './terminal/full-screen.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Where signals come from: the process, or a test. */
export interface SignalSource {
  readonly on: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGUSR2', listener: () => void) => unknown;
  readonly off: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGUSR2', listener: () => void) => unknown;
}

export interface CliContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly terminal: Terminal;
  readonly signals: SignalSource;
  /** Reads standard input to its end. */
  /** @param maxBytes where there are more, the rest is not read; default: all is */
  readonly readStdin: (maxBytes?: number) => Promise<string>;
  /** Tells the command that started this one with `--detach` that the run has begun, once; `null` in every other process. */
  readonly tellBegun: ((runId: string) => void) | null;
  /** True in a process that a view started: its person looks at the run, although not here. */
  readonly isViewed: boolean;
  /** Asks the person in front of the terminal; `null` where there is none. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** The whole terminal, for a view; `null` where there is none, or its person does not want it drawn on. */
  readonly openFullScreen: (() => Promise<FullScreen>) | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Calls again and again, each time after so many milliseconds, until the returned function is called. */
  readonly every: (periodMs: number, call: () => void) => () => void;
  /** Loads what runs are read with: all that a bundle for watching holds of the composition root. */
  readonly loadWatch: () => Promise<WatchApi>;
}

/** What a run is read and watched with: a small part of the composition root. */
export interface WatchApi {
  readonly openRunReader: typeof openRunReader;
  readonly openWatchedRun: typeof openWatchedRun;
  readonly findElsewhere: typeof findElsewhere;
}

export interface CommandCall {
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Everything after the name of the command, as it was typed. */
  readonly words: readonly string[];
  /** True when the command was not named: `ralph -p "…"` means `ralph run -p "…"`. */
  readonly isImplicit: boolean;
  /** Every command with its arguments and options, for `ralph completions`. */
  readonly declareAll: () => Promise<readonly DeclaredCommand[]>;
}

export interface DeclaredCommand extends CommandEntry {
  readonly command: Command;
}
