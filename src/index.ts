/**
 * Ralph as a library: load, check, draw and play teams; start, watch, steer, resume and read runs. Importing it does nothing else.
 */
export { END_REASONS, type EndReason } from './core/run/end-reasons.ts';
export type { RunSpec } from './core/run/run-spec.ts';
export { type PluginContext, type PluginPath, type PluginResult, type PluginTool, registerTool } from './core/tools/plugin-tool.ts';
export { RalphError } from './core/values/errors.ts';
export {
  type ConfigSource,
  type EmitOptions,
  type Emitted,
  type GraphFormat,
  graph,
  type ListedRun,
  type ListRunsOptions,
  listRuns,
  loadConfig,
  type OpenedRun as RunReader,
  type OpenRunOptions,
  openRun,
  type PlannedRun as RunPlan,
  planRun,
  type RecordsOptions,
  type ResumeRunOptions as ResumeOptions,
  type Run as RunHandle,
  type RunOptions as StartOptions,
  type RunResult as RunEnd,
  resumeRun,
  type StopOptions,
  simulate,
  startRun,
  type TeamConfig,
  type TurnFile,
  validate,
} from './library/index.ts';
export type { SimulateOptions, SimulationReport } from './simulate/index.ts';
export type { FlowEdge, FlowGraph, FlowNode } from './topology/graph/index.ts';
export type { Topology } from './topology/routing/index.ts';
export type { ConfigReport, ReportedDiagnostic, ReportedSpan } from './validation/index.ts';
export type { RunView } from './views/fold/index.ts';
export type { NdjsonRecord as RunRecord, StatusRecord as RunStatus } from './views/report/index.ts';

/** The version of this package, as in its package.json. */
export const version: string = RALPH_VERSION;
