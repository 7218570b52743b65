/**
 * Front door of `sandbox`: what a profile means outside our own tools.
 * `turn-sandbox, plan-confinement <- turn-home, create-confine, scratch, workspace-view … <- open-turn-sandbox`.
 */
export { sweepPrivate } from './carry-logins.ts';
export { findOsSandbox } from './find-os-sandbox.ts';
export { createTurnSandboxes } from './open-turn-sandbox.ts';
export { canAttachEmit, hasScopeFlags, listToolChecks, planEmitAttach, planScope } from './plan-scope.ts';
export { hasVerdicts, judgeProbe, type ProbeResult, type ProbeVerdict, readVerdict, writeVerdict } from './probe-verdict.ts';
export { closeScratch, openScratch } from './scratch.ts';
export type {
  FolderFacts,
  OsSandbox,
  OsSandboxSearch,
  SandboxMode,
  SandboxSettings,
  ScratchFolders,
  TurnSandbox,
  TurnSandboxes,
  TurnSandboxOrder,
  TurnSandboxSettings,
} from './turn-sandbox.ts';
export { hasView, wantsConfinement } from './turn-sandbox.ts';
export { predictViewKind, sweepViews } from './workspace-view.ts';
