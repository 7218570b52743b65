import type { Command } from 'commander';
import { wrapText } from '../views/index.ts';

export type { CliCommand, CommandCall, DeclaredCommand } from './cli-context.ts';

/** A line of the examples: what to type, and what it does. */
export type Example = readonly [typed: string, meaning: string];

/** Adds examples to the help of a command. Every command has some. What is to be typed stays in one line, however narrow the terminal is. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  command.addHelpText('after', () => ['', 'Examples:', ...toExampleLines(examples, toHelpWidth(command))].join('\n'));
}

/** Adds sentences to the help of a command. */
export function addNote(command: Command, text: string): void {
  command.addHelpText('after', () => ['', ...wrapText(text, toHelpWidth(command))].join('\n'));
}

/** Characters in a line of help where nobody says how wide the terminal is. */
export const HELP_WIDTH = 80;
/** Room for a meaning beside what is typed; where there is less it stands below. */
const LEAST_MEANING = 26;
const GAP = 2;

function toHelpWidth(command: Command): number {
  return command.configureOutput().getOutHelpWidth?.() ?? HELP_WIDTH;
}

/** Each typed line with its meaning, beside it or below it. */
export function toExampleLines(examples: readonly Example[], width: number): readonly string[] {
  const column = GAP + Math.max(...examples.map(([typed]) => typed.length)) + GAP;
  const isBeside = width - column >= LEAST_MEANING;
  return examples.flatMap(([typed, meaning]) => {
    const indent = isBeside ? column : 3 * GAP;
    const lines = wrapText(meaning, width - indent).map((line) => ' '.repeat(indent) + line);
    return isBeside ? [`  ${typed}`.padEnd(column) + (lines[0] ?? '').trimStart(), ...lines.slice(1)] : [`  ${typed}`, ...lines];
  });
}

/** The argument that most commands take. */
export const RUN_ARGUMENT = ['[run]', 'a run: its id or the beginning of it; without it: the newest'] as const;
