import type { z } from 'zod';
import type { HookMessage, HookRun } from '../../core/hooks/hook-moments.ts';
import type { ToolCard } from '../../core/tools/tool-card.ts';
import type { Json } from '../../core/values/json.ts';
import type { Refusal, Result } from '../../core/values/result.ts';
import type { ModelFile } from '../../ports/model.ts';
import type { Isolation, TurnScope } from '../../ports/program.ts';

/**
 * A tool of the native agent.
 *
 * Contract: `run` resolves with a result whatever happens (what it throws all the same becomes an error result, see `callTool`), ends soon after
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

/** Hints of a tool that only looks at files. */
export const READS_FILES = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

/** What a tool says to the model. Errors are results too: what happened, and what to do instead. */
export interface ToolResult {
  /** What the model reads. It is cut to size later, so a tool may return more than fits. */
  readonly text: string;
  readonly isError: boolean;
  /** From which end a long text is kept: `head` for what is read, `tail` for what a command said. Default `head`. */
  readonly keep?: 'head' | 'tail';
  /** The result for a model that can be shown this file; it is no error then. */
  readonly shown?: { readonly text: string; readonly file: ModelFile };
  /** What the turn acts on, beside what the model reads. */
  readonly report?: ToolReport;
  /** For the transcript alone, a word per key: nothing is decided by them. */
  readonly facts?: ResultFacts;
}

/** What a call did that is more than its text. Whoever reads it handles every kind: a new one does not compile before. */
export type ToolReport =
  | { readonly kind: 'published'; readonly topic: string }
  /** What the agent was asked for was taken: its turn ends behind the calls of this answer. */
  | { readonly kind: 'handed-in' }
  /** The operating system kept a program from writing; `line` is what the program said of it. */
  | { readonly kind: 'write-stopped'; readonly line: string };

export type ResultFacts = Readonly<Record<string, string | number | boolean | null>>;

/** What came of a call. Its text may be shown, sent and stored. */
export interface CallOutcome extends ToolResult {
  /** `ran`: the tool ran, and what it says (also an error) is its own word. Else why it was not carried out as asked. */
  readonly kind: 'ran' | CallRefusal;
  /** Hooks that were asked about it, in their order; absent: none. */
  readonly hooks?: readonly HookRun[];
  /** What hooks say to the model behind this result; absent: nothing. */
  readonly notes?: readonly string[];
  /** What hooks say to the model behind all results of its answer; absent: nothing. */
  readonly messages?: readonly HookMessage[];
}

/**
 * Why a call was not carried out as asked; `not-offered` is the violation of a profile, `denied` the word of a hook, `not-permitted` that of a rule of the
 * permissions or of a person.
 */
export type CallRefusal = 'unknown-tool' | 'not-offered' | 'bad-arguments' | 'tool-failed' | 'denied' | 'not-permitted';

export function succeed(text: string, facts?: ResultFacts): ToolResult {
  return facts === undefined ? { text, isError: false } : { text, isError: false, facts };
}

/** The result of a call that published an event. */
export function succeedPublished(text: string, topic: string): ToolResult {
  return { text, isError: false, report: { kind: 'published', topic } };
}

/** A result that says what went wrong and what to do instead. */
export function fail(what: string, advice = ''): ToolResult {
  return { text: advice === '' ? what : `${what}\n${advice}`, isError: true };
}

export function failWith({ reason, advice }: Refusal): ToolResult {
  return fail(reason, advice);
}

export interface ToolContext {
  readonly jail: Jail;
  readonly session: ToolSession;
  /** Of the call, as the model names it: a call that is made again after a crash has the same. */
  readonly callId?: string;
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
  /** The complete environment for programs that tools start. Secrets in it are taken out of every output. */
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
  /** Checks an event by the hat's contract and writes it where the loop reads events. The topic, or why it was not published. */
  readonly publish: (topic: string, payload: Json, target?: string) => Promise<Result<string, PublishRefusal>>;
  /** Whether the hat's profile lets it change files: `run_lint` fixes only then. */
  readonly mayWrite: boolean;
  /** `null` where no provider is configured. */
  readonly search: WebSearch | null;
  /** Addresses that `web_fetch` may reach although they are private, as `host:port`; for tests and intranets. Empty by default. */
  readonly allowedPrivateHosts: readonly string[];
  /** Variables of `env`, with `*` at the end for the rest of a name, that shell commands and checks get beside the harmless ones. Default: none. */
  readonly passEnv?: readonly string[];
  /** Branches that `git_push` refuses, with `*` at the end for the rest of a name. Default: main, master, release/*. */
  readonly protectedBranches?: readonly string[];
}

/**
 * Where tools may go. Paths that come from a model go through `resolveRead` or `resolveWrite` and nothing else.
 * Made by `createJail` (`files/jail.ts`).
 */
export interface Jail {
  /** Real absolute path of the workspace. */
  readonly workspace: string;
  /** The real path for reading. */
  readonly resolveRead: (path: string) => Promise<Result<string>>;
  /** The real path for writing; the file need not exist. */
  readonly resolveWrite: (path: string) => Promise<Result<string>>;
  /** A path as the model should see it: relative to the workspace where it is in it. */
  readonly toShown: (path: string) => string;
}

/** What tools remember between two calls of one session. */
export interface ToolSession {
  /** By real path. */
  readonly reads: Map<string, ReadRecord>;
  todos: readonly Todo[];
}

/** What a file was when it was read: it is overwritten only while it still is that. */
export interface ReadRecord {
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface Todo {
  readonly text: string;
  readonly status: 'open' | 'doing' | 'done';
  /** Absent: like any other. */
  readonly priority?: 'high';
}

/** Why an event was not published, and which topics may be. */
export interface PublishRefusal {
  readonly reason: string;
  readonly allowed: readonly string[];
}

export interface WebSearch {
  /** Why it cannot be asked here (no key); `null` where it can. */
  readonly whyMissing: string | null;
  /** What it throws as a RalphError is told to the model; anything else it throws is told by its code alone. */
  readonly find: (order: SearchOrder, signal: AbortSignal) => Promise<readonly WebHit[]>;
}

export interface SearchOrder {
  readonly query: string;
  /** Most hits that are wanted. */
  readonly limit: number;
  /** Only pages of these and their subdomains; empty: of all. */
  readonly domains: readonly string[];
}

export interface WebHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}
