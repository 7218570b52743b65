import { END_REASONS } from '../core/index.ts';
import { COMMANDS } from './command-table.ts';

/** `ralph --help`. */
export function toRootHelp(): string {
  const width = Math.max(...COMMANDS.map((entry) => entry.name.length)) + 2;
  return [
    'Usage: ralph [command] [options]',
    '',
    'Keeps AI coding agents in a loop, each wearing one of your hats, until the work is done.',
    '',
    'Commands (without one: run):',
    ...COMMANDS.map((entry) => `  ${entry.name.padEnd(width)}${entry.summary}`),
    '',
    'Options:',
    '  -h, --help     this page; `ralph <command> --help` for a command',
    '  -V, --version  the version',
    '',
    'Examples:',
    '  ralph demo                          a team at work for some ten seconds, without any agent of your own',
    '  ralph run -p "Make the tests pass"  the first agent CLI that is found works on it',
    '  ralph run                           the task in PROMPT.md, the team in ralph.yml',
    '  ralph resume                        go on where the last run stopped',
    '',
    `Exit codes of run and resume (2 also for usage errors):${toExitCodes()}`,
    '',
  ].join('\n');
}

/** `0 completed; 1 stalled, …; …`, from the one table. */
function toExitCodes(): string {
  const groups = new Map<number, string[]>();
  for (const [reason, { exitCode }] of Object.entries(END_REASONS)) groups.set(exitCode, [...(groups.get(exitCode) ?? []), reason]);
  return [...groups].map(([exitCode, reasons]) => `\n  ${exitCode} ${reasons.join(', ')}`).join('');
}
