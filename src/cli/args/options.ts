import { type Command, Option } from 'commander';
import { createUsageError } from './usage-error.ts';

/** The argument that most commands take. */
export const RUN_ARGUMENT = ['[run]', 'a run, by its id or the beginning of it; default: the one under way, else the newest'] as const;

/** The same as an option, which every command takes that takes a run. */
export const RUN_OPTION = ['--run <run>', 'the run, as an option instead of an argument'] as const;

/** What {@link addConfigOptions} and {@link addSettingFlags} add, as commander hands it over. */
export interface ConfigOptions {
  readonly config?: readonly string[];
  readonly hats?: string;
  readonly backend?: string;
  readonly model?: string;
  readonly maxIterations?: string;
  readonly maxCost?: string;
  readonly maxRuntime?: string;
}

/** What a configuration is loaded from, as far as the command line says it: fields of config's `LoadRequest`. */
export interface ConfigRequest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly configFiles: readonly string[];
  readonly assignments: readonly string[];
  readonly hatsOverlay?: string;
  readonly flags: ConfigRequestFlags;
}

interface ConfigRequestFlags {
  readonly backend?: string;
  readonly model?: string;
  readonly maxIterations?: string;
  readonly maxCostUsd?: string;
  readonly maxRuntime?: string;
}

/** Adds `-c` and `--hats`, which every command that reads a configuration takes. */
export function addConfigOptions(command: Command): void {
  command
    .option(
      '-c, --config <file|key=value>',
      'a configuration instead of ralph.yml, or one setting (cli.model=opus); may be repeated',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .option('--hats <file|preset:name>', 'another team: the hats of a file or a preset');
}

/** Adds the flags that stand for a setting: `-b`, `--model`, `--max-iterations`, `--max-cost`, `--max-runtime`. */
export function addSettingFlags(command: Command): void {
  command
    .option('-b, --backend <name>', 'the agent, such as claude or codex, or the path of a program (./agent.sh)')
    .option('--model <name>', 'the model of the agent')
    .option('--max-iterations <n>', 'stop after this many turns')
    .option('--max-cost <usd>', 'stop after this many US dollars, as far as agents or prices reveal the cost')
    .option('--max-runtime <duration>', 'stop after this running time: 90m, 2h, or seconds');
}

/** What a configuration is loaded from, for `readConfig`, `checkConfig` and `planStart`. */
export function toConfigRequest({ cwd, env }: Pick<ConfigRequest, 'cwd' | 'env'>, options: ConfigOptions): ConfigRequest {
  const given = options.config ?? [];
  const assignments = given.filter(isAssignment);
  const { model, maxIterations, maxCost, maxRuntime } = options;
  const program = options.backend?.includes('/') === true ? options.backend : undefined;
  const backend = program === undefined ? options.backend : undefined;
  return {
    cwd,
    env,
    configFiles: given.filter((value) => !assignments.includes(value)),
    assignments: program === undefined ? assignments : [...assignments, 'cli.backend=custom', `cli.command=${JSON.stringify(program)}`],
    ...(options.hats === undefined ? {} : { hatsOverlay: options.hats }),
    flags: {
      ...(backend === undefined ? {} : { backend }),
      ...(model === undefined ? {} : { model }),
      ...(maxIterations === undefined ? {} : { maxIterations }),
      ...(maxCost === undefined ? {} : { maxCostUsd: maxCost }),
      ...(maxRuntime === undefined ? {} : { maxRuntime }),
    },
  };
}

/** Names with dots between them (one with other characters in quotes), then `=`. */
const ASSIGNMENT = /^(?:[A-Za-z0-9_-]+|"[^"]*")(?:\.(?:[A-Za-z0-9_-]+|"[^"]*"))*=/;

/** True for `key.path=value`, whatever files there are: one that came with a checkout must not change what was typed. Such a file is `./key.path=value`. */
function isAssignment(value: string): boolean {
  return ASSIGNMENT.test(value);
}

/** Adds `--format`, the first of the formats being the default. */
export function addFormatOption(command: Command, formats: readonly [string, ...string[]], meaning: string): void {
  command.addOption(new Option('--format <format>', meaning).choices(formats).default(formats[0]));
}

export interface ShowOptions {
  readonly format: 'text' | 'ndjson';
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Nothing is drawn over. */
  readonly isPlain: boolean;
}

/** The options by which every command that watches a run is told how to show it. */
export interface ShowFlags {
  readonly format: 'text' | 'ndjson';
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** `--no-tui`: plain lines, without the view or the status line. */
  readonly tui: boolean;
}

export function addShowOptions(command: Command): void {
  command
    .addOption(
      new Option('--format <format>', 'text for people, ndjson for programs: one JSON object per line')
        .choices(['text', 'ndjson'])
        .default('text'),
    )
    .option('--no-tui', 'print plain lines instead of the view of `ralph run` or a status line')
    .option('-q, --quiet', 'print only the outcome')
    .option('-v, --verbose', 'also print routing, commands and the sizes of prompts');
}

export function toShowOptions({ format, quiet = false, verbose = false, tui }: ShowFlags): ShowOptions {
  if (quiet && verbose) throw createUsageError('--quiet and --verbose cannot be used together.', 'Leave one of them out.');
  return { format, quiet, verbose, isPlain: !tui };
}
