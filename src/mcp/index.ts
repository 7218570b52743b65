/** Front door of `mcp`: the MCP server through which agents publish. `mcp-tool`, `message-lines` <- `serve-messages` and the tools. */
export { createEmitEventTool, type EmitOffer, type EmitRequest } from './emit-event-tool.ts';
export type { McpServer, McpTool } from './mcp-tool.ts';
export { type CheckEnd, createRunCheckTool } from './run-check-tool.ts';
export { type McpStreams, serveMessages } from './serve-messages.ts';
