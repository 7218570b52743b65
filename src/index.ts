/**
 * Ralph as a library: load, check, draw and play teams; start, watch, steer, resume and read runs. Importing it does nothing else.
 */
export { END_REASONS, type EndReason } from './core/run/end-reasons.ts';
export type { RunSpec } from './core/run/run-spec.ts';
export { type PluginContext, type PluginPath, type PluginResult, type PluginTool, registerTool } from './core/tools/plugin-tool.ts';
export { RalphError } from './core/values/errors.ts';
export type {
  EmitOptions,
  Emitted,
  ResumeRunOptions as ResumeOptions,
  RunOptions as StartOptions,
  StopOptions,
} from './library/arguments.ts';
export {
  type ListedRun,
  type ListRunsOptions,
  listRuns,
  type OpenedRun as RunReader,
  type OpenRunOptions,
  openRun,
  type RecordsOptions,
  type TurnFile,
} from './library/open-run.ts';
export {
  type PlannedRun as RunPlan,
  planRun,
  type Run as RunHandle,
  type RunResult as RunEnd,
  resumeRun,
  startRun,
} from './library/start-run.ts';
export { type ConfigSource, type GraphFormat, graph, loadConfig, simulate, type TeamConfig, validate } from './library/team.ts';
export type { SimulateOptions, SimulationReport } from './simulate/simulation-types.ts';
export type { FlowEdge, FlowGraph, FlowNode } from './topology/graph/flow-graph.ts';
export type { Topology } from './topology/routing/compile-topology.ts';
export type { ConfigReport, ReportedDiagnostic, ReportedSpan } from './validation/config-report.ts';
export type { RunView } from './views/fold/run-view.ts';
export type { NdjsonRecord as RunRecord } from './views/report/ndjson-record.ts';
export type { StatusRecord as RunStatus } from './views/report/run-status.ts';

/** The version of this package, as in its package.json. */
export const version: string = RALPH_VERSION;
