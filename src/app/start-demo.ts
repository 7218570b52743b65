import { planRun, type RunPlan } from '../planning/index.ts';
import { createDemoFolder, type DemoFolder, type DemoName } from '../project/index.ts';
import type { RunHandle, RunWatch } from '../runs/index.ts';
import { startRun } from './start-run.ts';

/** The demo's sample, ready to run. */
export interface Demo extends DemoFolder {
  readonly plan: RunPlan;
  readonly start: (watch: RunWatch) => Promise<RunHandle>;
}

/** Prepares a sample of `ralph demo`. No key, no network: its model is a script, and the demo says so. */
export async function prepareDemo(given: Readonly<Record<string, string>>, name: DemoName): Promise<Demo> {
  // The sample's tests are a run of their own, also when this is started by a test runner.
  const { NODE_TEST_CONTEXT: _, RALPH_RUN_ID: __, RALPH_HAT: ___, ...env } = given;
  const sample = await createDemoFolder(env, name);
  const cwd = sample.folder;
  const plan = await planRun({ cwd, configFiles: [], flags: {}, env });
  return { ...sample, plan, start: (watch) => startRun(plan, { cwd, worktree: null, nested: true, env }, watch) };
}
