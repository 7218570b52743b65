/**
 * Front door of `library`: configurations, teams and runs for programs. `arguments` and `record-stream` <- `team`, `start-run`, `open-run`.
 */
export type { AnswerOptions, EmitOptions, Emitted, ResumeRunOptions, RunOptions, StopOptions, TellOptions } from './arguments.ts';
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
export { type PlannedRun, planRun, type Run, type RunResult, resumeRun, startRun } from './start-run.ts';
export { type ConfigSource, type GraphFormat, graph, loadConfig, simulate, type TeamConfig, validate } from './team.ts';
