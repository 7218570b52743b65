import type { z } from 'zod';
import type { Json, ToolCard } from '../../core/index.ts';
import type { Isolation, ModelFile, TurnScope } from '../../ports/index.ts';

/** What a tool says to the model. Errors are results too: what happened, and what to do instead. */
export interface ToolResult {
  /** What the model reads; capped by the loop, so a tool may return more than fits. */
  readonly text: string;
  readonly isError: boolean;
  /** From which end a long text is kept: `head` for what is read, `tail` for what a command said. Default `head`. */
  readonly keep?: 'head' | 'tail';
  /** The result for a model that can be shown this file; it is no error then. */
  readonly shown?: { readonly text: string; readonly file: ModelFile };
  /** Facts for the journal and the transcript, in a few words per key. */
  readonly facts?: Readonly<Record<string, Json>>;
}

/**
 * A tool of the native agent.
 *
 * Contract: `run` resolves with a result whatever happens (what it throws all the same is turned into an error result by the loop), ends soon after
 * `context.signal` aborts, writes nothing outside of what `context.jail` allows, and its hints are honest.
 */
export interface Tool<Args = never> extends ToolCard {
  /** What the model may pass; JSON Schema is made from it. */
  readonly parameters: z.ZodType<Args>;
  readonly run: (args: Args, context: ToolContext) => Promise<ToolResult>;
  /** Why the tool cannot be offered here (no search provider, no token); `null` where it can. Absent: always. */
  readonly whyMissing?: (context: Pick<ToolContext, 'env' | 'quality' | 'search'>) => string | null;
}

/** A tool, whatever it takes. Arguments are checked by `parameters` before `run` sees them. */
export type AnyTool = Omit<Tool<never>, 'parameters'> & { readonly parameters: z.ZodType };

/** Ties the type of the arguments to their schema. */
export function defineTool<Args>(tool: Tool<Args>): Tool<Args> {
  return tool;
}

/** A result that is no error. */
export function succeed(text: string, facts?: ToolResult['facts']): ToolResult {
  return facts === undefined ? { text, isError: false } : { text, isError: false, facts };
}

/** A result that says what went wrong and what to do instead. */
export function fail(what: string, advice = ''): ToolResult {
  return { text: advice === '' ? what : `${what}\n${advice}`, isError: true };
}

/**
 * Where tools may go. Paths that come from a model go through `resolveRead` or `resolveWrite` and nothing else.
 * Made by `createJail` (`jail.ts`).
 */
export interface Jail {
  /** Real absolute path of the workspace. */
  readonly workspace: string;
  /** The real path for reading, or why not. */
  readonly resolveRead: (path: string) => Promise<JailVerdict>;
  /** The real path for writing (the file need not exist), or why not. */
  readonly resolveWrite: (path: string) => Promise<JailVerdict>;
  /** A path as the model should see it: relative to the workspace where it is in it. */
  readonly toShown: (path: string) => string;
}

export type JailVerdict = { readonly path: string } | { readonly refused: string; readonly advice: string };

/** What a file was when it was read: writing over it needs that it still is. */
export interface ReadRecord {
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** What tools remember between two calls of one session. */
interface ToolSession {
  /** By real path. */
  readonly reads: Map<string, ReadRecord>;
  todos: readonly Todo[];
}

export interface Todo {
  readonly text: string;
  readonly status: 'open' | 'doing' | 'done';
}

/** What became of an event that a tool published. */
type PublishVerdict =
  | { readonly ok: true; readonly topic: string }
  | { readonly ok: false; readonly why: string; readonly allowed: readonly string[] };

/** One hit of a web search. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What is looked for. */
export interface SearchOrder {
  readonly query: string;
  /** Most hits that are wanted. */
  readonly limit: number;
  /** Only pages of these and their subdomains; empty: of all. */
  readonly domains: readonly string[];
}

/** Looks things up on the web. */
export interface Search {
  /** Why it cannot be asked here (no key); `null` where it can. */
  readonly whyMissing: string | null;
  /** What it throws as a RalphError is told to the model, whatever else it throws is not. */
  readonly find: (order: SearchOrder, signal: AbortSignal) => Promise<readonly SearchHit[]>;
}

/** Everything that tools get from outside. */
export interface ToolContext {
  readonly jail: Jail;
  readonly session: ToolSession;
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
  /** The complete environment for programs that tools start. Secrets in it are redacted from outputs by the loop. */
  readonly env: Readonly<Record<string, string>>;
  /** By which processes that a tool starts can be found again. */
  readonly marker: string;
  /** What the operating system puts around programs that tools start; absent: nothing. */
  readonly confine?: TurnScope['confine'];
  /** What puts a check of the project into a view of the workspace; absent: it runs in the workspace. */
  readonly view?: TurnScope['view'];
  /** The namespaces that such a program gets otherwise; absent: none. */
  readonly isolation?: Isolation;
  /** Absolute; where long outputs are kept whole. Readable through `read_file`. */
  readonly spillDir: string;
  /** Absolute path of the scratchpad. */
  readonly scratchpad: string;
  /** Commands of the project's own checks, where they are configured; the others are detected. */
  readonly quality: Readonly<Partial<Record<'tests' | 'lint' | 'build' | 'typecheck', string>>>;
  /** Topics and patterns that this hat may publish. */
  readonly publishes: readonly string[];
  /** Writes an event where the loop reads them, after the hat's contract was held against it. */
  readonly publish: (topic: string, payload: Json, target?: string) => Promise<PublishVerdict>;
  /** Whether the hat's profile lets it change files: `run_lint` fixes only then. */
  readonly mayWrite: boolean;
  /** `null` where no provider is configured. */
  readonly search: Search | null;
  /** Addresses that `web_fetch` may reach although they are private, as `host:port`; for tests and intranets. Empty by default. */
  readonly allowedPrivateHosts: readonly string[];
  /** Variables of `env`, with `*` at the end for the rest of a name, that shell commands and checks get beside the harmless ones. Default: none. */
  readonly passEnv?: readonly string[];
  /** Branches that `git_push` refuses, with `*` at the end for the rest of a name. Default: main, master, release/*. */
  readonly protectedBranches?: readonly string[];
}
