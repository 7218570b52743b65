/** One tool that the client offers to the model, in the terms of JSON Schema. */
export interface OfferedTool {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The name space of the tool, where the dialect has such. */
  readonly namespace?: string;
  /** `freeform`: takes a text and no JSON; `search`: finds tools that are not offered. Absent: an ordinary one. */
  readonly kind?: 'freeform' | 'search';
  /** What a `search` was asked for in this conversation. */
  readonly searched?: readonly string[];
}

/** One call of a tool, with the client's own name and arguments for it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** A text is sent as it stands: arguments that are no JSON. */
  readonly args: Readonly<Record<string, unknown>> | string;
  readonly namespace?: string;
  readonly kind?: OfferedTool['kind'];
}

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Names of the tools that the assistant called in this turn. */
  readonly calls: readonly string[];
  /** Texts of tool results that the client sent back in this turn. */
  readonly results: readonly string[];
}

/** A model request of any vendor, in one shape. */
export interface Conversation {
  readonly dialect: string;
  readonly model: string;
  readonly streaming: boolean;
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly OfferedTool[];
}

export interface TokenUsage {
  /** All input tokens, those read from a cache included. */
  readonly inputTokens: number;
  /** The part of inputTokens that came from a cache. */
  readonly cachedTokens: number;
  /** The part of inputTokens that was written into a cache, where the wire format tells it. */
  readonly writtenTokens: number;
  readonly outputTokens: number;
}

/** A way to fail. In the middle of a stream: `hang` comes to a stop, `cut` breaks the connection, `short` ends as if all were said, `malformed` goes on behind nonsense. */
export type Fault =
  | 'unauthorized'
  | 'rate-limited'
  | 'usage-limit'
  | 'server-error'
  | 'overloaded'
  | 'hang'
  | 'cut'
  | 'short'
  | 'malformed';

/** A call of one of several tools: the first that is offered; clients have their own names for the same thing. */
export interface WantedCall {
  /** Names of the tool, the best first; `*` at the beginning stands for any prefix. */
  readonly tool: readonly string[];
  /** The arguments (as text: sent as it stands), or a function that fills them from the schema of the tool that was found. */
  readonly args: ToolCall['args'] | ((parameters: OfferedTool['parameters']) => Readonly<Record<string, unknown>>);
  /** Call it by its first name even if it is not offered, nor found where tools are searched. */
  readonly isForced?: boolean;
}

/** What a script or a handler wants the model to do next. Everything is optional: `{}` is an empty answer. */
export interface Reply {
  /** What it thinks before it speaks, with the vendor's proof of it (a signature, encrypted content), where the wire format has that. */
  readonly thinking?: string;
  readonly text?: string;
  /** A shell command, run through whatever shell tool the client offers. */
  readonly shell?: string;
  /** Calls of other tools, in this order after the shell command; those of which no tool is offered are left out. */
  readonly calls?: readonly WantedCall[];
  readonly usage?: Partial<TokenUsage>;
  /** Why the answer ends, where that is not because the model is done. */
  readonly finish?: 'length' | 'refusal';
  readonly fault?: Fault;
  /** An error of any kind in place of an answer. */
  readonly http?: HttpError;
  /** What the request is recorded as, where no script has a name. */
  readonly name?: string;
  /** Wait before the answer starts, in milliseconds. */
  readonly delayMs?: number;
  /** Wait before each piece of a streamed answer, in milliseconds. */
  readonly paceMs?: number;
  /** So many keep-alives (comments of server-sent events) come before a streamed answer. */
  readonly keepAlives?: number;
}

/** A reply with every choice made. */
export interface ReadyReply {
  readonly id: string;
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: Reply['finish'];
  readonly usage: TokenUsage;
}

export interface HttpError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** One vendor's wire format. All functions are pure. */
export interface Dialect {
  readonly name: string;
  readonly contentType: string;
  /** True when this dialect answers model calls on the path (without the query). */
  readonly matches: (path: string) => boolean;
  readonly read: (body: Readonly<Record<string, unknown>>, url: URL) => Conversation;
  /** The pieces of a streamed answer in order, each one complete event. */
  readonly frames: (reply: ReadyReply, conversation: Conversation) => string[];
  /** The answer as one JSON value, for requests that do not stream. */
  readonly whole: (reply: ReadyReply, conversation: Conversation) => unknown;
  readonly error: (fault: Fault) => HttpError;
}

/** What the server keeps of each request, for assertions. */
export interface RecordedRequest {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** The User-Agent header: who asked. */
  readonly agent: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  dialect: string | undefined;
  model: string | undefined;
  script: string | undefined;
  /** What was answered: text, call, a fault, `auxiliary`, or an HTTP status for everything that is no model call. */
  answer: string;
  /** The request body as text, cut at a million characters. */
  readonly body: string;
}

/** Decides what the model says to a request; `undefined` leaves it to the scripts. */
export type Handler = (conversation: Conversation, request: RecordedRequest) => Reply | undefined;

export interface ModelServerOptions {
  readonly scripts?: Readonly<Record<string, readonly Reply[]>>;
  /** Asked first; undefined falls through to the scripts. */
  readonly handler?: Handler;
}

export interface ModelServer {
  readonly port: number;
  /** Without a slash at the end. */
  readonly url: string;
  /** Everything asked so far, oldest first. */
  readonly requests: RecordedRequest[];
  readonly setScript: (name: string, turns: readonly Reply[]) => void;
  /** Ends open connections too. */
  readonly close: () => Promise<void>;
}
