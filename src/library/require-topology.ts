import { RalphError } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';
import { type ConfigSource, isTeamConfig, loadConfig, type TeamConfig } from './load-config.ts';

/** A configuration whose team can be looked at. Throws RalphError `config-invalid` where there is none. */
export function requireTopology(config: TeamConfig | ConfigSource): TeamConfig & { readonly topology: Topology } {
  const loaded = isTeamConfig(config) ? config : loadConfig(config);
  if (loaded.topology === null) throw createInvalid(loaded);
  return { ...loaded, topology: loaded.topology };
}

/** The error for a configuration with findings of error severity. */
export function createInvalid({ file, diagnostics }: TeamConfig): RalphError {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  return new RalphError({
    code: 'config-invalid',
    what: `The configuration ${file} has ${errors.length} errors.`,
    fix: errors.map((error) => `${error.file}:${error.line}:${error.column} ${error.message}`).join('\n'),
    exitCode: 1,
  });
}
