/** Front door of `mcp`: the MCP server of agents. `mcp-tool`, `message-lines` <- `waiting-calls` <- `serve-messages`, and the tools. */
export { type AskReply, type AskRequest, createAskPersonTool } from './ask-person-tool.ts';
export { createEmitEventTool, type EmitOffer, type EmitRequest } from './emit-event-tool.ts';
export { createNewAnswerTool, createVoteTool, type HandIn, type HandOffer } from './hand-in-tools.ts';
export { createListHatsTool } from './list-hats-tool.ts';
export type { McpServer, McpTool } from './mcp-tool.ts';
export { createReadEventsTool } from './read-events-tool.ts';
export { type CheckEnd, createRunCheckTool } from './run-check-tool.ts';
export { type McpStreams, serveMessages } from './serve-messages.ts';
