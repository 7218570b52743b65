import type { Environment } from '../core/values/environment.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Isolation } from '../ports/program.ts';
import { type GateRun, type GateRunOrder, runGates } from '../run-gates/run-gates.ts';
import { type Layout, openAgentFolders } from '../runs/layout.ts';
import type { RunFile } from '../runs/run-file.ts';
import type { RunWorkspaceOrder } from '../runs/run-workspace.ts';
import { findRunIsolation } from '../safety/run-isolation.ts';
import { requireHeldGates } from '../safety/safe-runs.ts';
import type { MergePlace } from '../workspace/landing/landing.ts';

/** A run whose gates are asked outside of it. */
export interface HeldRun extends RunWorkspaceOrder {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly isolation: Isolation | null;
}

/** How programs that gates start in the workspace of a run's file are kept apart and held, as in the run. */
export type KeepGates = (run: HeldRun) => NonNullable<GateRunOrder['kept']>;

/** Whose gates are asked about a merge, and who watches them. */
export interface MergeJudgement extends Pick<GateRunOrder, 'signal' | 'observe'> {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  /** Of the run, as a person would merge it. */
  readonly branch: string;
  readonly keepGates: KeepGates;
}

/** Asks the gates about the merged tree. One that may be as red as before is asked about the target too. */
export async function judgeMerge(order: MergeJudgement, { cwd, toTarget }: MergePlace): Promise<GateRun> {
  const { file, env, signal, observe } = order;
  const { settings } = file;
  const { gates } = settings.spec;
  const asked = gates.flatMap((gate, index) => (gate.protect === undefined ? [index] : []));
  if (asked.length === 0) return { results: [], passed: true };
  const kept = await keepAsInRun(order, cwd);
  const ask = (chosen: readonly number[]): Promise<GateRun> => runGates({ settings, cwd, env, gates: chosen, kept, signal, observe });
  const run = await ask(asked);
  if (signal.aborted) return { ...run, passed: false };
  const red = run.results.filter((result) => result.required && !result.passed).map(({ gate }) => gate);
  if (red.length === 0 || red.some((gate) => gates[gate]?.baseline !== 'no_worse')) return run;
  await toTarget();
  const before = await ask(red);
  return { ...run, passed: !signal.aborted && before.results.every(({ passed }) => !passed) };
}

/** What gates run here is what agents wrote: it can do no more than in the run. */
async function keepAsInRun(order: MergeJudgement, workspace: string): Promise<NonNullable<GateRunOrder['kept']>> {
  const { layout, paths, file, env, branch } = order;
  const { settings } = file;
  await requireHeldGates(settings, layout.root, env, `or merge it by hand, without asking the gates: git merge ${branch}`);
  const { isolation } = await findRunIsolation(settings);
  openAgentFolders(workspace, settings);
  return order.keepGates({ layout, paths, file: { ...file, workspace }, env, isolation });
}
