import type { Settings } from '../config/settings.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import { RalphError } from '../core/values/errors.ts';
import type { Isolation } from '../ports/program.ts';
import { selectExistingFolders } from '../process/isolation.ts';
import { findIsolation } from '../process/start-process.ts';

/** How the programs of a run are kept apart, and what a person should know of it. */
export interface RunIsolation {
  readonly isolation: Isolation | null;
  readonly warnings: readonly string[];
}

/** Folders of the orchestrator's own, absolute. */
interface StateFolders {
  readonly stateDir: string;
  readonly runsDir: string;
  readonly binDir: string;
  readonly worktreesDir: string;
}

/** What remains of the claims where programs share the processes of the machine. */
export const WITHOUT_ISOLATION =
  'a program that clears its environment and leaves its session can outlive its turn, see other processes and call ralph as you, and an agent without a sandbox can write into .ralph what a person would publish';

/**
 * Decides once for a run, by trying.
 *
 * @throws RalphError `isolation-required`
 */
export async function findRunIsolation({ isolation: mode = 'auto' }: Pick<Settings, 'isolation'>): Promise<RunIsolation> {
  if (mode === 'off') return { isolation: null, warnings: [`Not isolated (isolation: off): ${WITHOUT_ISOLATION}.`] };
  const search = await findIsolation();
  if (search.ok) return { isolation: search.value, warnings: [] };
  if (mode === 'required') {
    throw new RalphError({
      code: 'isolation-required',
      what: `\`isolation: required\`, and ${search.refused.reason}.`,
      why: `Without it ${WITHOUT_ISOLATION}.`,
      fix: `${search.refused.advice}\nOr continue without it: isolation: auto`,
    });
  }
  return {
    isolation: null,
    warnings: [`Not isolated: ${search.refused.reason}. ${WITHOUT_ISOLATION[0]?.toUpperCase()}${WITHOUT_ISOLATION.slice(1)}.`],
  };
}

/** Whether nothing that a run starts shares the namespace that the run lives in. A gate that does runs what agents wrote. */
export function isolatesAll(isolation: Isolation | null, { gates }: Pick<RunSpec, 'gates'>): boolean {
  return isolation !== null && gates.every((gate) => gate.isolation !== 'off');
}

/**
 * With the worktrees of other runs out of sight: tools that look for tests find those below the folder, too, and a gate would judge somebody else's work.
 * Not for agents: git, which they call, takes a worktree that it cannot see for one that is gone.
 */
export function coverWorktrees(isolation: Isolation, { worktreesDir }: Pick<StateFolders, 'worktreesDir'>): Isolation {
  const writable = isolation.writable.filter((folder) => folder !== worktreesDir);
  return { ...isolation, covered: [...isolation.covered, ...selectExistingFolders([worktreesDir])], writable };
}

/**
 * With what only the orchestrator writes protected: the journals of the runs, what people publish to them, locks, the agents' `ralph`. Worktrees lie
 * there too, and so may, where a configuration says so, what agents write.
 */
export function protectState(
  isolation: Isolation,
  { stateDir, runsDir, binDir, worktreesDir }: StateFolders,
  written: readonly string[],
): Isolation {
  const isMixed = written.some((folder) => folder === stateDir || stateDir.startsWith(`${folder}/`));
  if (isMixed) return { ...isolation, readOnly: selectExistingFolders([runsDir, binDir]) };
  // A mount cannot be removed: one below the worktrees would keep an agent from removing the worktree that it is in.
  const apart = written.filter((folder) => folder.startsWith(`${stateDir}/`) && !folder.startsWith(`${worktreesDir}/`));
  const writable = selectExistingFolders([worktreesDir, ...apart]);
  return { ...isolation, readOnly: selectExistingFolders([stateDir]), writable };
}

/**
 * The folders of Ralph's own in a workspace (`.ralph`, `.agent`): never committed, no part of what an agent changed.
 */
export function toStateDirs(settings: Pick<Settings, 'stateDir' | 'prompts'>): readonly string[] {
  const { eventsFile, workspaceDir, scratchpad } = settings.prompts;
  const agentDirs = [eventsFile, workspaceDir, scratchpad]
    .map((path) => path.replace(/^\.\//, ''))
    .flatMap((path) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : []));
  return [...new Set([settings.stateDir, ...agentDirs])].filter((name) => name.startsWith('.') && name !== '.' && name !== '..');
}
