import { type Command, Option } from 'commander';

/** Adds `--format`, the first of the formats being the default. */
export function addFormatOption(command: Command, formats: readonly [string, ...string[]], meaning: string): void {
  command.addOption(new Option('--format <format>', meaning).choices(formats).default(formats[0]));
}
