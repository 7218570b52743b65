import { basename, join } from 'node:path';
import { withoutKeys } from '../safety/known-secrets.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { createTreeWatch, type TreeWatch } from '../workspace/watch/create-tree-watch.ts';
import { type ScopeTools, type TurnScopeSettings, toCopySettings, toPrivateDir, toSandboxSettings } from './scope-tools.ts';

export function createWatch(made: TurnScopeSettings): TreeWatch {
  const { settings, workspace, env, runFolder, gitPrograms, tree } = made;
  const watch = createTreeWatch({
    programs: gitPrograms,
    cwd: workspace,
    env: withoutKeys(settings, env),
    stateDirs: toStateDirs(settings),
    scratchDir: join(runFolder, 'git'),
    reverts: settings.sandbox.onViolation === 'revert',
    runId: basename(runFolder),
  });
  return {
    ...watch,
    // Names of the run's own that git is told of later would be taken for the agent's work.
    begin: async (exempt, turn) => {
      await tree.settle();
      return watch.begin(exempt, turn);
    },
  };
}

/** Opens what the turns of a run are held with, and removes what a process before this one left of it. */
export async function openScopeTools(made: TurnScopeSettings): Promise<ScopeTools> {
  const { sweepPrivate } = await import('../sandbox/carry-logins.ts');
  const opened = await openSandbox(made);
  sweepPrivate(toPrivateDir(made.runFolder));
  return { ...opened, watch: createWatch(made) };
}

/**
 * The sandbox of a run's turns, which in a safe run holds the commands of its gates as well.
 *
 * @param copy of the folder of the run, in which is worked instead
 */
export async function openSandbox(made: TurnScopeSettings, copy?: string): Promise<Omit<ScopeTools, 'watch'>> {
  const { findOsSandbox } = await import('../sandbox/find-os-sandbox.ts');
  const { createTurnSandboxes } = await import('../sandbox/open-turn-sandbox.ts');
  const os = await findOsSandbox(made.env, made.workspace);
  const sandboxes = createTurnSandboxes(copy === undefined ? toSandboxSettings(made, os) : toCopySettings(made, os, copy));
  return { os, createTurnSandboxes, sandboxes };
}
