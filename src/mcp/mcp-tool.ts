import type { Json, JsonObject } from '../core/values/json.ts';

/** A tool that a server offers. Calling it never throws: what goes wrong is a result that the model can read. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object at the top. */
  readonly inputSchema: JsonObject;
  /** The hints of MCP, as they stand on the wire. */
  readonly annotations: JsonObject;
  readonly call: (args: JsonObject) => Promise<McpResult>;
}

/** What the model is told. */
export interface McpResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Who answers: what `initialize` says of the server, and its tools. */
export interface McpServer {
  readonly name: string;
  readonly version: string;
  /** What the server tells the client's model of itself. */
  readonly instructions: string;
  readonly tools: readonly McpTool[];
}

/** The shape in which a result of a tool goes over the wire. */
export function toWireResult({ text, isError }: McpResult): Json {
  return { content: [{ type: 'text', text }], isError };
}
