import { resolve } from 'node:path';
import { readTextFile } from '../config/layers/read-text-file.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { accept } from '../core/values/result.ts';
import { drawSvg } from '../drawing/draw-svg.ts';
import { drawUnicode } from '../drawing/draw-unicode.ts';
import { simulateTeam } from '../simulate/simulate.ts';
import type { SimulateOptions, SimulationReport } from '../simulate/simulation-types.ts';
import { createFlowGraph } from '../topology/graph/create-flow-graph.ts';
import { drawDot } from '../topology/graph/draw-dot.ts';
import { drawList } from '../topology/graph/draw-list.ts';
import { drawMermaid } from '../topology/graph/draw-mermaid.ts';
import type { FlowGraph } from '../topology/graph/flow-graph.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { checkConfig } from '../validation/check-config.ts';
import { type ConfigReport, createConfigReport, isValid } from '../validation/config-report.ts';
import { checkObject, checkWord, isObject, type KnownNames } from './arguments.ts';

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
  readonly env?: Environment;
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

/**
 * What `ralph validate --format json` says of one configuration. Lines and columns count from 1.
 *
 * @param config a loaded configuration, or where to load one from
 * @param options `strict`: warnings count as errors for `valid`
 * @throws RalphError as {@link loadConfig} does
 */
export function validate(config: TeamConfig | ConfigSource = {}, options: { readonly strict?: boolean } = {}): ConfigReport {
  checkObject(options, 'The options of `validate`', { strict: 'flag' });
  const { file, coordination, diagnostics } = isTeamConfig(config) ? config : loadConfig(config);
  return { file, valid: isValid(diagnostics, options.strict ?? false), coordination, diagnostics };
}

/** How a graph can be drawn. `unicode` is at most 160 columns wide, and a list where the team is too large for a drawing. */
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

const GRAPH_FORMATS = ['unicode', 'mermaid', 'dot', 'svg'] as const;

const GRAPH_WIDTH = 160;

/**
 * How events flow between the hats: as data, or drawn.
 *
 * @param config a loaded configuration (one with errors is drawn with what is wrong marked), or where to load one from
 * @param format without it: nodes and edges
 * @throws RalphError `config-invalid` where a file is no YAML, `graph-too-large` where a team cannot be drawn as SVG, and as `loadConfig` does
 */
export function graph(config?: TeamConfig | ConfigSource): FlowGraph;
export function graph(config: TeamConfig | ConfigSource, format: GraphFormat): string;
export function graph(config: TeamConfig | ConfigSource = {}, format?: GraphFormat): FlowGraph | string {
  checkWord(format, 'The format of a graph', GRAPH_FORMATS);
  const { topology, diagnostics } = requireTopology(config);
  const model = createFlowGraph(topology, diagnostics);
  switch (format) {
    case undefined:
      return model;
    case 'mermaid':
      return drawMermaid(model);
    case 'dot':
      return drawDot(model);
    case 'svg':
      return drawSvg(model, 'How events flow between the hats');
    case 'unicode':
      return drawUnicode(model, { columns: GRAPH_WIDTH, style: (_, text) => text }) ?? drawList(model);
  }
}

const SIMULATE: Readonly<Record<keyof SimulateOptions, KnownNames[string]>> = {
  runs: 'number',
  seed: 'number',
  silent: 'number',
  failure: 'number',
  gateFailure: 'number',
  script: 'any',
  constantPayloads: 'flag',
  turnMs: 'number',
  turnCostUsd: 'any',
};

/**
 * Plays a team many times with agents that obey their contracts and otherwise do what chance says, by the decisions of real runs; see
 * `ralph simulate`. The same seed gives the same report.
 *
 * @param config a loaded configuration, or where to load one from
 * @throws RalphError `config-invalid` where the configuration has errors, `simulation-option` for an option that cannot be
 */
export function simulate(config: TeamConfig | ConfigSource = {}, options: SimulateOptions = {}): SimulationReport {
  checkObject(options, 'The options of `simulate`', SIMULATE);
  const loaded = requireTopology(config);
  if (!loaded.valid) throw createInvalid(loaded);
  return simulateTeam(loaded.topology, options);
}

/** A configuration whose team can be looked at. Throws RalphError `config-invalid` where there is none. */
function requireTopology(config: TeamConfig | ConfigSource): TeamConfig & { readonly topology: Topology } {
  const loaded = isTeamConfig(config) ? config : loadConfig(config);
  if (loaded.topology === null) throw createInvalid(loaded);
  return { ...loaded, topology: loaded.topology };
}

/** The error for a configuration with findings of error severity. */
function createInvalid({ file, diagnostics }: TeamConfig): RalphError {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  return new RalphError({
    code: 'config-invalid',
    what: `The configuration ${file} has ${errors.length} errors.`,
    fix: errors.map((error) => `${error.file}:${error.line}:${error.column} ${error.message}`).join('\n'),
    exitCode: 1,
  });
}

/** True for what {@link loadConfig} gave, false for where to load one from. */
function isTeamConfig(config: TeamConfig | ConfigSource): config is TeamConfig {
  return isObject(config) && 'topology' in config && 'diagnostics' in config;
}

function readInstead(path: string, text: string): typeof readTextFile {
  return (asked, maxBytes, kind) => (asked === path ? accept(text) : readTextFile(asked, maxBytes, kind));
}
