import { type Json, type JsonObject, toJsonObject } from '../core/values/json.ts';

/** A tool that a server offers. Calling it never throws: what goes wrong is a result that the model can read. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object at the top. */
  readonly inputSchema: JsonObject;
  /** The hints of MCP, as they stand on the wire. */
  readonly annotations: JsonObject;
  /** It waits for somebody, perhaps for hours: other messages are answered meanwhile, and its result comes when it is there. */
  readonly waits?: true;
  /** `signal`: nobody wants the result any more. */
  readonly call: (args: JsonObject, signal?: AbortSignal) => Promise<McpResult>;
}

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

/** What a model is told of an error: the sentences of our own, of any other the message. */
export function toReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { why, fix } = toJsonObject(error);
  return [error.message, why, fix].filter((part) => typeof part === 'string' && part !== '').join('\n');
}
