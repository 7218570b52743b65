import { findCommand, listBackends } from '../backends/index.ts';
import type { BackendType } from '../core/index.ts';

/** The agent CLIs that are installed, in the default order of `cli.priority`. Nothing is started. */
export function listAgents(env: Readonly<Record<string, string | undefined>>, cwd: string): readonly BackendType[] {
  return listBackends()
    .filter(({ command }) => 'path' in findCommand(command, cwd, env['PATH']))
    .map(({ type }) => type);
}
