import { type Command, Option } from 'commander';
import { createUsageError } from '../args/usage-error.ts';
import type { ShowOptions } from './watch-run.ts';

/** The options by which every command that watches a run is told how to show it. */
export interface ShowFlags {
  readonly format: 'text' | 'ndjson';
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** `--no-tui`: plain lines, without the status line. */
  readonly tui: boolean;
}

/** Adds them to a command. */
export function addShowOptions(command: Command): void {
  command
    .addOption(
      new Option('--format <format>', 'text for people, ndjson for programs: one JSON object a line')
        .choices(['text', 'ndjson'])
        .default('text'),
    )
    .option('--no-tui', 'plain lines, without the status line that a terminal shows')
    .option('-q, --quiet', 'only the outcome')
    .option('-v, --verbose', 'routing, commands and the sizes of prompts too');
}

/** What was asked for, checked. */
export function toShowOptions({ format, quiet = false, verbose = false, tui }: ShowFlags): ShowOptions {
  if (quiet && verbose) throw createUsageError('--quiet and --verbose do not go together.', 'Leave one of them out.');
  return { format, quiet, verbose, isPlain: !tui };
}
