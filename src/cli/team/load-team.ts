import { resolve } from 'node:path';
import { renderDiagnostics } from '../../config/findings/diagnostics.ts';
import { type ReadText, readTextFile } from '../../config/layers/read-text-file.ts';
import { RalphError } from '../../core/values/errors.ts';
import type { Topology } from '../../topology/routing/compile-topology.ts';
import { type CheckedConfig, checkConfig } from '../../validation/check-config.ts';
import { type ConfigOptions, toConfigRequest } from '../args/options.ts';
import type { CliContext } from '../cli-context.ts';
import { isColoured } from '../terminal/terminal.ts';

/** A team as a command looks at it, with everything that is known to be wrong with it. */
export interface LoadedTeam {
  /** `null` where the file is no YAML at all. */
  readonly topology: Topology | null;
  readonly checked: CheckedConfig;
  /** The absolute paths of all files that were read for it. */
  readonly filesRead: ReadonlySet<string>;
}

/**
 * Reads the team of a configuration, also of one with errors. Errors and warnings are told on standard error.
 *
 * @throws RalphError (exit code 2) for a file that is not there and for wrong use
 */
export function loadTeam(context: CliContext, options: ConfigOptions): LoadedTeam {
  const filesRead = new Set<string>();
  const readText: ReadText = (path, ...how) => {
    filesRead.add(path);
    return readTextFile(path, ...how);
  };
  const checked = checkConfig({ ...toConfigRequest(context, options), prompt: 'optional', readText });
  const told = checked.diagnostics.filter(({ severity }) => severity === 'error' || severity === 'warning');
  const promptFile = checked.settings?.objective.file;
  if (promptFile != null) filesRead.add(resolve(context.cwd, promptFile));
  if (told.length > 0) {
    const color = isColoured(context.terminal.errStyle);
    context.terminal.err(`${renderDiagnostics(told, { color })}\n\n`);
  }
  return { topology: checked.topology, checked, filesRead };
}

/** The error for a configuration that cannot be run, with all that is wrong with it. */
export function createConfigInvalid(diagnostics: CheckedConfig['diagnostics']): RalphError {
  return new RalphError({
    code: 'config-invalid',
    what: 'The configuration cannot be run.',
    fix: renderDiagnostics(diagnostics),
    exitCode: 1,
  });
}
