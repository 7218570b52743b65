/** Door to `core/tools`: tools as data: their cards, groups and profiles, servers, plugins, what a hat without write access changed. */
export { BUILT_IN_CARDS } from './built-in-cards.ts';
export type { McpServerSpec } from './mcp-server-spec.ts';
export {
  checkPluginTool,
  checkToolCard,
  createToolTwiceError,
  listPluginTools,
  type PluginContext,
  type PluginPath,
  type PluginResult,
  type PluginTool,
  registerTool,
  toPluginCard,
} from './plugin-tool.ts';
export { MAX_KEPT_CHANGES, MAX_KEPT_DENIALS, type ScopeChange, type ScopeViolations, type ToolDenial } from './scope-violations.ts';
export { toServerToolName } from './server-tool-name.ts';
export { PESSIMISTIC_HINTS, TOOL_GROUPS, type ToolCard, type ToolGroup, type ToolHints } from './tool-card.ts';
export {
  BUILT_IN_POLICIES,
  BUILT_IN_PROFILES,
  type Capabilities,
  COMPOSITE_GROUPS,
  COORDINATION_GROUP,
  mayChangeTree,
  mayWork,
  type ProfilePolicy,
  resolveProfile,
  type ToolVerdict,
  toCapabilities,
} from './tool-profiles.ts';
export { findSearchKeyName, NO_TOOLS_SPEC, SEARCH_PROVIDERS, type SearchProvider, type SearchSpec, type ToolsSpec } from './tools-spec.ts';
