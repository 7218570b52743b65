import type { Environment } from '../core/values/environment.ts';
import { createRunFolder, createRunId, nodeFileSystem, removeRun } from '../journal/index.ts';
import { type LandReport, type LandRequest, type LandWatch, performLanding, type ResolverTurn } from '../landing/index.ts';
import { requireAgents, requireKnownCost } from '../planning/index.ts';
import { loadPluginFiles } from '../plugins/index.ts';
import { removeTree } from '../process/index.ts';
import { lockRun, type RunHandle, releaseLock, withoutToken, writePeople } from '../runs/index.ts';
import { findRunIsolation, isolatesAll, requireHeldGates } from '../safety/index.ts';
import { compileTopology } from '../topology/routing/index.ts';
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
