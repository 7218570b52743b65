/**
 * Ralph as a library: plan, start, watch, resume and read runs from a program. Importing it does nothing else.
 */
export {
  type LeftProcess,
  openRun,
  planRun,
  type Resumed,
  type ResumeOptions,
  type RunEnd,
  type RunHandle,
  type RunPlan,
  type RunReader,
  type RunRequest,
  type RunWatch,
  resumeRun,
  type StartOptions,
  startRun,
} from './app/index.ts';
export { END_REASONS, type EndReason, RalphError, type RunRecord } from './core/index.ts';

/** The version of this package, as in its package.json. */
export const version: string = RALPH_VERSION;
