/** Front door of `agent`: the native agent. Heavy: only ever imported dynamically. */
export type { AgentLimits } from './agent-limits.ts';
export { findSpent } from './find-spent.ts';
export { createJail, type JailSettings } from './jail.ts';
export { openServers } from './mcp/open-servers.ts';
export { createNativeBackend } from './native-backend.ts';
export { openTools, type ToolSettings } from './open-tools.ts';
export { toPluginTool } from './plugin-tool.ts';
export { createLibraryModel } from './providers/library-model.ts';
export type { Effort, ProviderKind, ProviderSettings } from './providers/provider-kind.ts';
export type { NativeAgent } from './run-native-turn.ts';
export type { ModelPlace } from './turn-parts.ts';
export { parseScript, type Script } from './script.ts';
export { createScriptedModel } from './scripted-model.ts';
export { createSearch } from './search/create-search.ts';
export type { ToolContext } from './tool-context.ts';
export { createBuiltInTools } from './tool-list.ts';
export { fetchPage } from './tools/web-fetch.ts';
