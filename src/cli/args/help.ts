import type { Command } from 'commander';
import { END_REASONS } from '../../core/run/end-reasons.ts';
import { wrapText } from '../../views/text/fact-rows.ts';
import { COMMANDS, type CommandEntry, type CommandGroup } from './command-table.ts';

/** A line of the examples: what to type, and what it does. */
type Example = readonly [typed: string, meaning: string];

/** Adds examples to the help of a command. Every command has some. What is to be typed stays in one line, however narrow the terminal is. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  command.addHelpText('after', () => ['', 'Examples:', ...toExampleLines(examples, toHelpWidth(command))].join('\n'));
}

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
function toExampleLines(examples: readonly Example[], width: number): readonly string[] {
  const column = GAP + Math.max(...examples.map(([typed]) => typed.length)) + GAP;
  const isBeside = width - column >= LEAST_MEANING;
  return examples.flatMap(([typed, meaning]) => {
    const indent = isBeside ? column : 3 * GAP;
    const lines = wrapText(meaning, width - indent).map((line) => ' '.repeat(indent) + line);
    return isBeside ? [`  ${typed}`.padEnd(column) + (lines[0] ?? '').trimStart(), ...lines.slice(1)] : [`  ${typed}`, ...lines];
  });
}

const EXAMPLES: readonly Example[] = [
  ['ralph demo', 'watch a team for ten seconds; needs no agent of your own'],
  ['ralph run -p "Make the tests pass"', 'let the first agent CLI that is found do it'],
  ['ralph run', 'the task in PROMPT.md, the team in ralph.yml'],
  ['ralph review', 'what the last run did, on one screen'],
  ['ralph resume', 'continue where the last run stopped'],
];

const GROUPS: Readonly<Record<CommandGroup, string>> = {
  first: 'Commands (without one: run)',
  design: 'Design a team',
  look: 'Look at a run',
  publish: 'Steer a run, ask and answer, publish',
  keep: 'Keep house',
};
const MORE = (Object.keys(GROUPS) as CommandGroup[]).filter((group) => group !== 'first');

/** What `ralph help` takes beside the names of commands. */
export const HELP_TOPICS: readonly string[] = [...MORE, 'all'];

/** `ralph help design`: the commands of a group, or of all. */
export function toTopicHelp(topic: string, width: number): string {
  const groups = (Object.keys(GROUPS) as CommandGroup[]).filter((group) => topic === 'all' || topic === group);
  const lists = groups.flatMap((group) => [`${GROUPS[group]}:`, ...toCommandLines(listCommands(group), width), '']);
  return [...lists, ...wrapText('Options and examples of each: ralph <command> --help', width), ''].join('\n');
}

/** `ralph --help`, in lines of at most so many characters. */
export function toRootHelp(width: number): string {
  const widest = Math.max(...MORE.map((group) => group.length)) + 2;
  const options = [
    ['-h, --help', 'this page; `ralph <command> --help` for a command'],
    ['-V, --version', 'the version'],
  ] as const;
  return [
    'Usage: ralph [command] [options]',
    '',
    ...wrapText('Keeps AI coding agents in a loop, each wearing one of your hats, until the work is done.', width),
    '',
    `${GROUPS.first}:`,
    ...toCommandLines(listCommands('first'), width),
    '',
    ...wrapText(`More commands. Details: \`ralph help ${HELP_TOPICS.join('|')}\``, width),
    ...MORE.flatMap((group) => toHanging(group.padEnd(widest), listNames(group), width)),
    '',
    'Options:',
    ...options.flatMap(([flags, text]) => toHanging(flags.padEnd(15), text, width)),
    '',
    'Examples:',
    ...toExampleLines(EXAMPLES, width),
    '',
    ...wrapText('Exit codes of run and resume (2 also for usage errors):', width),
    ...toExitCodes().flatMap(([exitCode, reasons]) => toHanging(`${exitCode} `, reasons, width)),
    '',
  ].join('\n');
}

function listCommands(group: CommandGroup): readonly CommandEntry[] {
  return COMMANDS.filter((entry) => entry.group === group);
}

function toCommandLines(commands: readonly CommandEntry[], width: number): readonly string[] {
  const names = Math.max(...COMMANDS.map((entry) => entry.name.length)) + 2;
  return commands.flatMap(({ name, summary }) => toHanging(name.padEnd(names), summary, width));
}

function listNames(group: CommandGroup): string {
  return listCommands(group)
    .map((entry) => entry.name)
    .join(', ');
}

/** A text beside its head, set in by two; its other lines begin below its first. */
function toHanging(head: string, text: string, width: number): readonly string[] {
  return wrapText(text, width - head.length - 2).map((line, index) => `  ${index === 0 ? head : ' '.repeat(head.length)}${line}`);
}

/** `0`, `completed`; `1`, `stalled, …`: from the one table. */
function toExitCodes(): readonly (readonly [exitCode: number, reasons: string])[] {
  const groups = new Map<number, string[]>();
  for (const [reason, { exitCode }] of Object.entries(END_REASONS)) groups.set(exitCode, [...(groups.get(exitCode) ?? []), reason]);
  return [...groups].map(([exitCode, reasons]) => [exitCode, reasons.join(', ')]);
}
