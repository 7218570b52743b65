import type { Environment } from '../core/values/environment.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { createRunFolder, createRunId, removeRun } from '../journal/run-folder.ts';
import { type LandReport, type LandRequest, type LandWatch, performLanding } from '../landing/land-run.ts';
import type { ResolverTurn } from '../landing/resolve-conflict.ts';
import { requireAgents, requireKnownCost } from '../planning/run-conditions.ts';
import { loadPluginFiles } from '../plugins/plugin-files.ts';
import { removeTree } from '../process/remove-tree.ts';
import { withoutToken, writePeople } from '../runs/people.ts';
import type { RunHandle } from '../runs/run-api.ts';
import { lockRun, releaseLock } from '../runs/run-lock.ts';
import { findRunIsolation, isolatesAll } from '../safety/run-isolation.ts';
import { requireHeldGates } from '../safety/safe-runs.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { keepGates } from './assemble-run.ts';
import { driveRun } from './drive-run.ts';
import { prepareRun } from './start-run.ts';

/** Lands a run, see {@link performLanding}. */
export function landRun(cwd: string, request: LandRequest, watch: LandWatch, env: Environment): Promise<LandReport> {
  return performLanding({ keepGates, startTurn: startResolver }, cwd, request, watch, env);
}

/** Starts the turn in which a hat resolves a conflict of a landing: a run of its own, with all that holds the hat in its run. */
async function startResolver({ layout, landed, settings, cwd, people }: ResolverTurn): Promise<RunHandle> {
  const env = withoutToken(people);
  await loadPluginFiles(settings, layout.root);
  requireKnownCost(settings);
  await requireHeldGates(settings, layout.root, env, 'or merge it by hand');
  const [{ isolation }] = await Promise.all([
    findRunIsolation(settings),
    requireAgents(settings, compileTopology(settings.spec).coordination, { cwd, env }),
  ]);
  const runId = createRunId(Date.now(), Math.random);
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const paths = createRunFolder(state, runId);
  const worktree = `land-${landed}`;
  const drop = (): void => void removeRun({ ...state, removeTree }, runId);
  writePeople(paths, { who: settings.externalEvents, isIsolated: isolatesAll(isolation, settings.spec), env: people });
  const lock = await lockRun({ layout, runId, worktree, command: 'ralph land --resolve' }).catch((error: unknown) => {
    drop();
    throw error;
  });
  try {
    const ready = await prepareRun({
      settings,
      isolation,
      stdinPrompt: null,
      env,
      watch: { observe: () => undefined },
      layout,
      paths,
      workspace: cwd,
      worktree,
      resolves: landed,
    });
    return driveRun(ready.parts, ready.run, { folded: null, inputs: [ready.started] }, [lock]);
  } catch (error) {
    releaseLock(lock);
    drop();
    throw error;
  }
}
