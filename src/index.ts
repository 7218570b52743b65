/**
 * Ralph as a library: load, check, draw and play teams; plan, start, watch, resume and read runs. Importing it does nothing else.
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
  registerTool,
  resumeRun,
  type StartOptions,
  startRun,
} from './app/index.ts';
export {
  END_REASONS,
  type EndReason,
  type PluginContext,
  type PluginPath,
  type PluginResult,
  type PluginTool,
  RalphError,
  type RunRecord,
  type RunSpec,
} from './core/index.ts';
export { type ConfigSource, type GraphFormat, graph, loadConfig, simulate, type TeamConfig, validate } from './library/index.ts';
export type { SimulateOptions, SimulationReport } from './simulate/index.ts';
export type { FlowEdge, FlowGraph, FlowNode, Topology } from './topology/index.ts';
export type { ConfigReport, ReportedDiagnostic, ReportedSpan } from './validation/index.ts';

/** The version of this package, as in its package.json. */
export const version: string = RALPH_VERSION;
