/** Shapes shared by the mock model server's files; types only, nothing here runs. */

/** One tool that the client offers to the model, in the terms of JSON Schema. */
export interface OfferedTool {
  name: string;
  parameters: Record<string, unknown>;
}

export interface ToolCall {
  id: string;
  name: string;
  args: Record<string, unknown>;
}

export interface Turn {
  role: 'user' | 'assistant';
  text: string;
  /** Names of the tools that the assistant called in this turn. */
  calls: string[];
  /** Texts of tool results that the client sent back in this turn. */
  results: string[];
}

/** A model request of any vendor, in one shape. */
export interface Conversation {
  dialect: string;
  model: string;
  streaming: boolean;
  system: string;
  turns: Turn[];
  tools: OfferedTool[];
}

export interface Usage {
  /** All input tokens, those read from a cache included. */
  inputTokens: number;
  /** The part of inputTokens that came from a cache. */
  cachedTokens: number;
  outputTokens: number;
}

export type Fault = 'unauthorized' | 'rate-limited' | 'usage-limit' | 'server-error' | 'overloaded' | 'hang' | 'cut' | 'malformed';

/** What a script or a handler wants the model to do next. Everything is optional: `{}` is an empty answer. */
export interface Reply {
  text?: string;
  /** A shell command, played through whatever shell tool the client offers. */
  shell?: string;
  usage?: Partial<Usage>;
  fault?: Fault;
  /** What the request is recorded as, where no script has a name. */
  name?: string;
  /** Wait before the answer starts, in milliseconds. */
  delayMs?: number;
}

/** A reply with every choice made: the tool call has the client's own name and arguments. */
export interface ReadyReply {
  id: string;
  text: string;
  call: ToolCall | undefined;
  usage: Usage;
}

export interface HttpError {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** One vendor's wire format. All functions are pure. */
export interface Dialect {
  name: string;
  /** True when this dialect answers model calls on the path (without the query). */
  matches(path: string): boolean;
  read(body: Record<string, unknown>, url: URL): Conversation;
  /** The pieces of a streamed answer in order, each one complete event. */
  frames(reply: ReadyReply, conversation: Conversation): string[];
  /** The answer as one JSON value, for requests that do not stream. */
  whole(reply: ReadyReply, conversation: Conversation): unknown;
  contentType: string;
  error(fault: Fault): HttpError;
}

/** What the server keeps of each request, for assertions. */
export interface RecordedRequest {
  at: number;
  method: string;
  /** Path with query. */
  path: string;
  /** The User-Agent header: who asked. */
  agent: string;
  dialect: string | undefined;
  model: string | undefined;
  script: string | undefined;
  /** What was answered: text, call, a fault, `auxiliary`, or an HTTP status for everything that is no model call. */
  answer: string;
  /** The request body as text, cut at 64 KB. */
  body: string;
}

export type Handler = (conversation: Conversation) => Reply | undefined;

export interface ModelServerOptions {
  /** Turns by script name. */
  scripts?: Record<string, Reply[]>;
  /** Asked first; undefined falls through to the scripts. */
  handler?: Handler;
}

export interface ModelServer {
  port: number;
  /** Without a slash at the end. */
  url: string;
  /** Everything asked so far, oldest first. */
  requests: RecordedRequest[];
  /** Adds or replaces a script. */
  setScript(name: string, turns: Reply[]): void;
  /** Ends open connections too. */
  close(): Promise<void>;
}
