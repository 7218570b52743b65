import { planRun } from '../planning/index.ts';
import { type NightEnd, type NightOrder, type PlannedTask, runNight } from '../queue/index.ts';
import type { RunRequest } from '../runs/index.ts';
import { resumeRun } from './resume-run.ts';
import { startRun } from './start-run.ts';

/** Runs the tasks of a queue, see {@link runNight}. */
export function runQueue(order: NightOrder): Promise<NightEnd> {
  return runNight(order, { plan: planTask, resume: resumeRun });
}

async function planTask(request: RunRequest): Promise<PlannedTask> {
  const plan = await planRun(request);
  const { settings, warnings } = plan;
  return { stateDir: settings.stateDir, warnings, start: (options, watch) => startRun(plan, options, watch) };
}
