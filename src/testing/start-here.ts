import { planRun, type RunHandle, resumeRun, startRun } from '../app/index.ts';
import { type Segment, type SegmentEnd, type SegmentOrder, toEnd, toRefused } from './segment.ts';
import type { Stage } from './stage.ts';

const WATCH = { observe: () => undefined };

/** Starts the run in this process: the real loop, at no cost for a process of its own. */
export function startHere(stage: Stage, order: SegmentOrder): Segment {
  const begun = begin(stage, order).catch((error: unknown) => toRefused(error));
  const stop: Segment['stop'] = (how) => void begun.then((run) => 'stop' in run && run.stop(how, 'scenario'));
  const ended = begun.then(async (run) => {
    if ('end' in run) return run;
    const { reason, detail, exitCode } = await run.outcome;
    return toEnd(run.runId, reason, detail, exitCode);
  });
  return { stop, kill: () => stop('kill'), ended };
}

async function begin({ workspace, env }: Stage, order: SegmentOrder): Promise<RunHandle | SegmentEnd> {
  if (order.kind === 'run') {
    const flags = order.prompt === undefined ? {} : { prompt: order.prompt };
    const plan = await planRun({ cwd: workspace, configFiles: [], flags, env });
    return startRun(plan, { cwd: workspace, worktree: order.worktree, nested: false, env }, WATCH);
  }
  const { acceptChanges, maxCostUsd } = order;
  const limits = { ...toIterations(order.maxIterations), ...(maxCostUsd === undefined ? {} : { maxCostUsd }) };
  const resumed = await resumeRun({ cwd: workspace, acceptChanges, env, ...limits }, WATCH);
  return resumed.kind === 'running' ? resumed.handle : toEnd(resumed.runId, resumed.reason, resumed.text, resumed.exitCode);
}

function toIterations(value: string | number | undefined): {
  readonly maxIterations?: { readonly add: number } | { readonly set: number };
} {
  if (value === undefined) return {};
  return { maxIterations: typeof value === 'number' ? { set: value } : { add: Number(value) } };
}
