/**
 * Front door of `agent`: the native agent. Heavy: what runs it is loaded with the first turn (`turns/create-native-backend`).
 *
 * Folders, in one direction: tool <- files <- grep <- tools <- tool-list, and tool <- session <- calls <- turn; providers and mcp stand beside them.
 * `tool`: what a tool is and gets; `files`: what file tools do; `tools`: one file per tool, what several share in folders below; `session`: the parts,
 * the transcript and the memory of a turn; `calls`: a tool call, prepared, executed and finished; `turn`: the loop of steps and the backend around it.
 */
export { openTools, type ToolSettings } from './calls/open-tools.ts';
export { createJail, type JailSettings } from './files/jail.ts';
export { openServers, type ServerTools } from './mcp/open-servers.ts';
export { createLibraryModel } from './providers/library-model.ts';
export type { ProviderKind, ProviderSettings, ThinkingEffort } from './providers/provider-kind.ts';
export { createScriptedModel, type ModelScript, parseScript } from './providers/scripted-model.ts';
export type { AgentLimits, ModelPlace } from './session/agent-turn.ts';
export { findSpent, findTold } from './session/find-session.ts';
export { toPluginTool } from './tool/plugin-tool.ts';
export type { ToolContext } from './tool/tool.ts';
export { createBuiltInTools } from './tool-list.ts';
export { createNativeAskPersonTool } from './tools/people/ask-person.ts';
export { createHandInTools } from './tools/people/hand-in.ts';
export { createSearch } from './tools/web/create-search.ts';
export { fetchPage } from './tools/web-fetch.ts';
export { createNativeBackend } from './turn/native-backend.ts';
export type { NativeAgent } from './turn/run-native-turn.ts';
