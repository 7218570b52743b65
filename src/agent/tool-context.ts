import type { Json } from '../core/index.ts';
import type { Isolation, TurnScope } from '../ports/index.ts';

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
export interface ToolSession {
  /** By real path. */
  readonly reads: Map<string, ReadRecord>;
  todos: readonly Todo[];
}

export interface Todo {
  readonly text: string;
  readonly status: 'open' | 'doing' | 'done';
}

/** What became of an event that a tool published. */
export type PublishVerdict =
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
