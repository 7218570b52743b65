/** Front door of `library`: configurations, teams and runs for programs. */

export { type GraphFormat, graph } from './graph.ts';
export { type ConfigSource, loadConfig, type TeamConfig } from './load-config.ts';
export {
  type ListedRun,
  type ListRunsOptions,
  listRuns,
  type OpenedRun,
  type OpenRunOptions,
  openRun,
  type RecordsOptions,
  type TurnFile,
} from './open-run.ts';
export type { EmitOptions, Emitted, Run, RunResult, StopOptions } from './run.ts';
export { simulate } from './simulate.ts';
export { type PlannedRun, planRun, type ResumeRunOptions, type RunOptions, resumeRun, startRun } from './start-run.ts';
export { validate } from './validate.ts';
