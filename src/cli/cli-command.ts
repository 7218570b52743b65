import type { Command } from 'commander';
import type { CommandName } from './args/command-table.ts';
import type { CliContext, CommandCall } from './cli-context.ts';

/** The composition root as the commands know it: loaded when a command needs it, and a fake in tests. */
export type AppApi = typeof import('../app/index.ts');

export interface AppContext extends CliContext {
  /** Loads the composition root: heavy, so only when it is needed. */
  readonly loadApp: () => Promise<AppApi>;
  /** Loads what works for fleets. */
  readonly loadWorker: () => Promise<typeof import('../worker/index.ts')>;
  readonly loadCommand: (name: CommandName) => Promise<CliCommand>;
}

export interface CliCommand {
  /** Adds arguments, options and examples. */
  readonly declare: (command: Command) => void;
  /** Does it; the result is the exit code. */
  readonly perform: (context: AppContext, call: CommandCall) => Promise<number>;
}
