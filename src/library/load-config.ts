import { resolve } from 'node:path';
import { readTextFile } from '../config/index.ts';
import { accept, type RunSpec } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';
import { type ConfigReport, checkConfig, createConfigReport } from '../validation/index.ts';
import { checkObject, isObject, type KnownNames } from './check-arguments.ts';

/** Where a configuration comes from; without anything the folder's own, as `ralph run` would find it. */
export interface ConfigSource {
  /** The folder that names are relative to. Default: the current one. */
  readonly cwd?: string;
  /** Files, later ones over earlier ones, as `-c` names them. */
  readonly files?: readonly string[];
  /** A text in the place of a file, for editors; `name` is what findings call it (default `ralph.yml`). */
  readonly text?: string;
  readonly name?: string;
  /** A team in the place of the one of the configuration: a file, or `preset:NAME`. */
  readonly hats?: string;
  /** Settings over all files, as `-c key.path=value` says them. */
  readonly assignments?: readonly string[];
  /** Names of tools that the program registers (`registerTool`), so that profiles may name them. */
  readonly toolNames?: readonly string[];
  /** Variables for `${NAME}`, `RALPH_CONFIG_…` and the user's own file. Default: none, so that the result depends on nothing else. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A configuration, loaded and checked. */
export interface TeamConfig extends ConfigReport {
  /** The files that took part, as they are shown. */
  readonly files: readonly string[];
  /** The run as it is declared, every default filled in and what is wrong left out; `null` where a file is no YAML. */
  readonly spec: RunSpec | null;
  /** The team, ready to be asked; `null` where a file is no YAML. */
  readonly topology: Topology | null;
}

const SOURCE: Readonly<Record<keyof ConfigSource, KnownNames[string]>> = {
  cwd: 'text',
  files: 'texts',
  text: 'text',
  name: 'text',
  hats: 'text',
  assignments: 'texts',
  toolNames: 'texts',
  env: 'record',
};

/**
 * Loads a configuration and checks it whole: every finding, sorted by place. Nothing is run, written or sent.
 *
 * @throws RalphError (`exitCode` 2) for a named file that is missing, or an assignment that cannot be read; `library-argument` for a wrong call
 */
export function loadConfig(source: ConfigSource = {}): TeamConfig {
  checkObject(source, 'The source of a configuration', SOURCE);
  const cwd = resolve(source.cwd ?? '.');
  const name = source.name ?? 'ralph.yml';
  const checked = checkConfig({
    cwd,
    prompt: 'optional',
    configFiles: [...(source.files ?? []), ...(source.text === undefined ? [] : [name])],
    env: source.env ?? {},
    ...(source.hats === undefined ? {} : { hatsOverlay: source.hats }),
    ...(source.toolNames === undefined ? {} : { toolNames: source.toolNames }),
    ...(source.assignments === undefined ? {} : { assignments: source.assignments }),
    ...(source.text === undefined ? {} : { readText: readInstead(resolve(cwd, name), source.text) }),
  });
  const file = checked.files.at(-1) ?? name;
  return { ...createConfigReport(file, checked), files: checked.files, spec: checked.topology?.spec ?? null, topology: checked.topology };
}

/** True for what {@link loadConfig} gave, false for where to load one from. */
export function isTeamConfig(config: TeamConfig | ConfigSource): config is TeamConfig {
  return isObject(config) && 'topology' in config && 'diagnostics' in config;
}

function readInstead(path: string, text: string): typeof readTextFile {
  return (asked, maxBytes, kind) => (asked === path ? accept(text) : readTextFile(asked, maxBytes, kind));
}
