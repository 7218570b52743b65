/** Front door of `validation`: a configuration and the flow of its events, checked together; repairs of its text. */
export {
  type AgentLook,
  type CheckedConfig,
  type CheckRequest,
  checkConfig,
  createAgentLook,
  findHatsWithoutAgent,
  type HatsWithoutAgent,
  listAgentsByHat,
  type MissingAgent,
  toMissingAgentFix,
  toMissingAgentText,
} from './check-config.ts';
export { type ConfigReport, createConfigReport, isValid, type ReportedDiagnostic, type ReportedSpan } from './config-report.ts';
export { type EditedFiles, pathOf } from './edited-files.ts';
export { type MadeRepair, type RepairedConfig, type RepairOptions, repairConfig } from './repair-config.ts';
export { findOldName, isNameTaken, replaceFile } from './replace-file.ts';
export { writeRepairs } from './write-repairs.ts';
