/** Front door of `backends`: agent CLIs, custom commands and ACP agents as the port `Backend`; finding out which are there. */
export type { BackendOptions } from './cli-backend.ts';
export { findCli, listBackends, PROBED_CLIS } from './clis.ts';
export type { CliDescription, ClientPlace, ClientSettings, OwnChanges } from './description.ts';
export { type BackendReport, type DetectOptions, detectBackends } from './detect-backends.ts';
export { EMIT_SERVER, NO_ATTACHED_TOOL } from './emit-tool.ts';
export { findCommand } from './find-command.ts';
export type { Invocation, InvocationOrder, PromptPlace } from './invocation.ts';
export { isPlainCommand } from './plain-command.ts';
export { createBackend, firstAvailable, listAvailable } from './registry.ts';
export type {
  AttachedSettings,
  AttachedTool,
  CliScope,
  EmitAttachOrder,
  EmitServer,
  ScopeFile,
  ScopeOrder,
  ScopePlan,
} from './scope-plan.ts';
export { createScriptedBackend, type ScriptedOptions } from './scripted/index.ts';
export type { ScriptedTurn } from './scripted/scripted-turn.ts';
export { CONFIG_HOME, type StateFolder } from './state-folder.ts';
