import type { Topology } from '../../topology/index.ts';
import { type CheckedConfig, checkConfig } from '../../validation/index.ts';
import type { CliContext } from '../cli-context.ts';
import { type ConfigOptions, toConfigRequest } from '../config-options.ts';

/** A team as a command looks at it, with everything that is known to be wrong with it. */
export interface LoadedTeam {
  /** `null` where the file is no YAML at all. */
  readonly topology: Topology | null;
  readonly checked: CheckedConfig;
}

/**
 * Reads the team of a configuration, also of one with errors. Errors and warnings are told on standard error.
 *
 * @throws RalphError (exit code 2) for a file that is not there and for wrong use
 */
export async function loadTeam(context: CliContext, options: ConfigOptions): Promise<LoadedTeam> {
  const checked = checkConfig({ ...toConfigRequest(context, options), prompt: 'optional' });
  const told = checked.diagnostics.filter(({ severity }) => severity === 'error' || severity === 'warning');
  if (told.length > 0) {
    const { renderDiagnostics } = await import('../../config/index.ts');
    const color = context.terminal.errStyle('heading', 'x') !== 'x';
    context.terminal.err(`${renderDiagnostics(told, { color })}\n\n`);
  }
  return { topology: checked.topology, checked };
}
