import type { Command } from 'commander';

export type { CliCommand, CommandCall, DeclaredCommand } from './cli-context.ts';

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
