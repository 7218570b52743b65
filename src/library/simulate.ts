import { simulate as play, type SimulateOptions, type SimulationReport } from '../simulate/index.ts';
import { checkObject, type KnownNames } from './check-arguments.ts';
import type { ConfigSource, TeamConfig } from './load-config.ts';
import { createInvalid, requireTopology } from './require-topology.ts';

const OPTIONS: Readonly<Record<keyof SimulateOptions, KnownNames[string]>> = {
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
  checkObject(options, 'The options of `simulate`', OPTIONS);
  const loaded = requireTopology(config);
  if (!loaded.valid) throw createInvalid(loaded);
  return play(loaded.topology, options);
}
