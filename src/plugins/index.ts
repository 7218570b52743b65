/**
 * Front door of `plugins`: the tools of a run beside the built-in ones. Files of `tools.plugins` are found without running anything of them, loaded once for the whole process,
 * and told of together with the tools of MCP servers: `plugin-files <- list-tools`.
 */
export { listNativeTools, type NativeTools } from './list-tools.ts';
export { countTools, listRunTools, loadPluginFiles, withPluginFiles } from './plugin-files.ts';
