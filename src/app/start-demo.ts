import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPackageFolder } from '../config/index.ts';
import { createGit } from '../git/index.ts';
import { runCommand } from '../process/index.ts';
import { toTypedCommand } from './agent-command.ts';
import { planRun, type RunPlan } from './plan-run.ts';
import type { RunHandle, RunWatch } from './run-api.ts';
import { startRun } from './start-run.ts';

/** The demo's sample, ready to run. */
export interface Demo {
  /** The temporary folder with the sample repository. */
  readonly folder: string;
  /** How Ralph is typed here: `ralph`, or `node /path/bin/ralph.js`. */
  readonly command: string;
  readonly plan: RunPlan;
  /** Runs the sample's tests, as the gate does. */
  readonly test: () => Promise<{ readonly passed: boolean; readonly output: string }>;
  readonly start: (watch: RunWatch) => Promise<RunHandle>;
}

/**
 * Prepares `ralph demo`: a copy of the sample in a temporary folder, as a git repository where git is there. No key, no network: its model is a
 * script, and the demo says so.
 */
export async function prepareDemo(given: Readonly<Record<string, string>>): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-demo-'));
  cpSync(join(findPackageFolder(), 'examples', 'demo'), folder, { recursive: true });
  // The sample's tests are a run of their own, also when this is started by a test runner.
  const { NODE_TEST_CONTEXT: _, RALPH_RUN_ID: __, RALPH_HAT: ___, ...env } = given;
  await makeRepository(folder, env);
  const plan = await planRun({ cwd: folder, configFiles: [], flags: {}, env });
  return {
    folder,
    command: toTypedCommand(env),
    plan,
    test: async () => {
      const result = await runCommand({ command: process.execPath, args: ['--test'], cwd: folder, env, timeoutMs: 20_000 });
      return { passed: result.status === 'exited' && result.exitCode === 0, output: result.output };
    },
    start: (watch) => startRun(plan, { cwd: folder, worktree: null, nested: true, env }, watch),
  };
}

async function makeRepository(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const git = createGit({ cwd: folder, env });
  const config = ['user.name=Ralph demo', 'user.email=demo@example.invalid'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-q', '-m', 'A cart that adds up wrongly'],
  ]) {
    if (!(await git(args, { config, timeoutMs: 10_000 })).ok) return;
  }
}
