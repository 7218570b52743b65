import { Command } from 'commander';
import type { CommandEntry } from './command-table.ts';

/** A command without its arguments and options, in the manner of all commands. */
export function createCommand({ name, summary }: Pick<CommandEntry, 'name' | 'summary'>): Command {
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return new Command(`ralph ${name}`)
    .description(description)
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .helpOption('-h, --help', 'this page')
    .allowExcessArguments(false);
}
