import { planStart, type RunPlan } from '../planning/plan-run.ts';
import { createDemoFolder, type DemoFolder, type DemoName } from '../project/demo-files.ts';
import type { NightEnd, NightOrder, PlannedTask } from '../queue/queue-plan.ts';
import { runNight } from '../queue/run-queue.ts';
import type { RunHandle, RunRequest, RunWatch } from '../runs/run-api.ts';
import { type Detached, startDetached } from '../runs/start-detached.ts';
import { resumeRunHere } from './resume-run.ts';
import { startRunHere } from './start-run.ts';

/** The demo's sample, ready to run. */
export interface Demo extends DemoFolder {
  readonly plan: RunPlan;
  readonly start: (watch: RunWatch) => Promise<RunHandle>;
  /** The same in a process of its own, for a view that it outlives. */
  readonly startApart: (abort: AbortSignal) => Promise<Detached>;
}

/**
 * Prepares a sample of `ralph demo`. No key, no network: its model is a script, and the demo says so.
 *
 * @param slower see {@link createDemoFolder}
 */
export async function prepareDemo(given: Readonly<Record<string, string>>, name: Exclude<DemoName, 'fleet'>, slower = 1): Promise<Demo> {
  // The sample's tests are a run of their own, also when this is started by a test runner.
  const { NODE_TEST_CONTEXT: _, RALPH_RUN_ID: __, RALPH_HAT: ___, ...env } = given;
  const sample = await createDemoFolder(env, name, slower);
  const cwd = sample.folder;
  const plan = await planStart({ cwd, configFiles: [], flags: {}, env });
  return {
    ...sample,
    plan,
    start: (watch) => startRunHere(plan, { cwd, worktree: null, nested: true, env }, watch),
    startApart: (abort) =>
      startDetached({ cwd, stateDir: plan.settings.stateDir, words: ['run', '--nested'], stdin: null, env, abort, isViewed: true }),
  };
}

/** Runs the tasks of a queue, see {@link runNight}. */
export function runQueue(order: NightOrder): Promise<NightEnd> {
  return runNight(order, { plan: planTask, resume: resumeRunHere });
}

async function planTask(request: RunRequest): Promise<PlannedTask> {
  const plan = await planStart(request);
  const { settings, warnings } = plan;
  return { stateDir: settings.stateDir, warnings, start: (options, watch) => startRunHere(plan, options, watch) };
}
