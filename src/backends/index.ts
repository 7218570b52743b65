/** Front door of `backends`: agent CLIs, custom commands and ACP agents as the port `Backend`; finding out which are there. */
export type { BackendOptions } from './cli-backend.ts';
export { type BackendReport, type DetectOptions, detectBackends } from './detect-backends.ts';
export { findCommand } from './find-command.ts';
export type { CliDescriptor, Invocation, InvocationOrder, PromptPlace, SignInTraces } from './invocation.ts';
export { createBackend, firstAvailable, listAvailable, listBackends } from './registry.ts';
export { createScriptedBackend, type ScriptedOptions } from './scripted/index.ts';
export type { ScriptedTurn } from './scripted/scripted-turn.ts';
