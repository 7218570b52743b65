/**
 * Front door of `backends`: agent CLIs, custom commands and ACP agents as the port `Backend`; finding out which are there.
 * `stream <- describe <- <cli> <- clis` and `stream, describe <- turn, detect <- clis`: `stream` translates what agents print, `describe` says what is to be
 * known of a CLI, `turn` runs one, `detect` looks for them.
 */

export { createBackend, detectBackends, findCli, firstAvailable, listAvailable, listBackends, PROBED_CLIS } from './clis.ts';
export type { CliDescription, ClientPlace, ClientSettings, OwnChanges } from './describe/description.ts';
export { type CliStateFolder, CONFIG_HOME } from './describe/description.ts';
export type { Invocation, InvocationOrder, PromptPlace } from './describe/invocation.ts';
export type {
  AttachedSettings,
  AttachedTool,
  CliScope,
  EmitAttachOrder,
  EmitServer,
  ScopeFile,
  ScopeOrder,
  ScopePlan,
  ServerToolText,
} from './describe/scope-plan.ts';
export { EMIT_SERVER, isPlainCommand, NO_ATTACHED_TOOL } from './describe/scope-plan.ts';
export type { BackendReport, DetectOptions } from './detect/detect-backends.ts';
export { findCommand } from './detect/find-command.ts';
export type { TurnScript } from './scripted/index.ts';
export { createScriptedBackend, type ScriptedOptions } from './scripted/index.ts';
export type { BackendOptions } from './turn/cli-backend.ts';
