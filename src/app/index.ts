/** Front door of `app`: the composition root. What commands and other programs start, read and stop runs with. */
export { findPackageFolder, parseYamlText, readEnvironment } from '../config/index.ts';
export { emitFromOutside, type OutsideEvent } from './emit-event.ts';
export { type DoctorCheck, type DoctorReport, examine } from './examine.ts';
export { checkInit, type Initialised, type InitOrder, initProject } from './init-project.ts';
export { listAgents } from './list-agents.ts';
export { type CleanOrder, cleanRuns, summariseRuns } from './list-runs.ts';
export { planRun, type RunPlan, type RunRequest } from './plan-run.ts';
export { listProcesses, reapProcesses } from './processes.ts';
export { openRun } from './read-run.ts';
export { type Resumed, type ResumeOptions, resumeRun } from './resume-run.ts';
export type { LeftProcess, RunEnd, RunHandle, RunReader, RunSummary, RunWatch } from './run-api.ts';
export { type Demo, prepareDemo } from './start-demo.ts';
export { type StartOptions, startRun } from './start-run.ts';
export { type StopOrder, stopRun } from './stop-run.ts';
