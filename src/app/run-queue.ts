import { type NightEnd, type NightOrder, runNight } from '../queue/index.ts';
import { resumeRun } from './resume-run.ts';
import { startRun } from './start-run.ts';

/** Runs the tasks of a queue, see {@link runNight}. */
export function runQueue(order: NightOrder): Promise<NightEnd> {
  return runNight(order, { start: startRun, resume: resumeRun });
}
