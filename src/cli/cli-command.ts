import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import type { CommandEntry } from './command-table.ts';

/** One command: what it takes, and what it does. */
export interface CliCommand {
  /** Adds arguments, options and examples. */
  readonly declare: (command: Command) => void;
  /** Does it; the result is the exit code. */
  readonly perform: (context: CliContext, call: CommandCall) => Promise<number>;
}

/** What was typed, as commander understood it. */
export interface CommandCall {
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, unknown>>;
  /** True when the command was not named: `ralph -p "…"` means `ralph run -p "…"`. */
  readonly isImplicit: boolean;
  /** Every command with its arguments and options, for `ralph completions`. */
  readonly declareAll: () => Promise<readonly DeclaredCommand[]>;
}

/** A command, declared but not to be called. */
export interface DeclaredCommand extends CommandEntry {
  readonly command: Command;
}

/** A line of the examples: what to type, and what it does. */
export type Example = readonly [typed: string, meaning: string];

/** Adds examples to the help of a command. Every command has some. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  const width = Math.max(...examples.map(([typed]) => typed.length));
  const lines = examples.map(([typed, meaning]) => `  ${typed.padEnd(width)}  ${meaning}`);
  command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
}

/** The argument that most commands take. */
export const RUN_ARGUMENT = ['[run]', 'a run: its id or the beginning of it; without it: the newest'] as const;
