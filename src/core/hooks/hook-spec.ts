import { type Json, type JsonObject, readOwn } from '../values/json.ts';
import type { HookDialect, HookEventName, HookRun } from './hook-moments.ts';

/** A hook: what is asked when, for which tools, and what counts where it does not answer. */
export interface HookSpec {
  /** As the journal and people know it; its handler where the configuration gives no name. */
  readonly name: string;
  readonly event: HookEventName;
  /** Which tools it is about; see {@link createToolMatcher}, and with a dialect {@link createForeignMatcher}. */
  readonly matcher: string;
  /** Of these only calls that the rule touches; see {@link createCallMatcher}. Absent: all. */
  readonly rule?: string;
  /** Whose rules the matcher follows, for a hook that stands in the settings of an agent CLI. */
  readonly dialect?: HookDialect;
  /** Variables that its program gets beside those that all get. */
  readonly env?: Readonly<Record<string, string>>;
  readonly handler: HookHandler;
  readonly timeoutMs: number;
  /** A hook that fails, or gives no answer in time, denies the call. By default only one that cannot be started does. */
  readonly isFailClosed: boolean;
  /** Its program stays for the turn, and is asked line by line. */
  readonly isKeptAlive?: true;
  /** It is asked at most once a turn. */
  readonly isOnce?: true;
  /** It is started and not waited for: what it decides does not count, and what it injects comes behind a later call. */
  readonly isAsync?: true;
  /** In a run on a fleet: what a worker must have to run it. Absent: it runs where it is asked. */
  readonly runsOn?: readonly string[];
  /** Where it is written: `ralph.yml:12`. */
  readonly place: string;
}

/** What is asked. Paths are absolute. */
export type HookHandler =
  /** A program that reads the event as JSON on standard input. `file` is the script among its arguments, where there is one. */
  | { readonly kind: 'command'; readonly argv: readonly string[]; readonly file: HookFile | null }
  /** A line of shell from the configuration. */
  | { readonly kind: 'shell'; readonly line: string }
  /** A function that a module exports. */
  | { readonly kind: 'module'; readonly file: HookFile; readonly exported: string }
  /** `package.module.function`, looked for in these folders first. */
  | { readonly kind: 'python'; readonly path: string; readonly folders: readonly string[] };

/** A file of a hook. It is not run once it is not what it was when the configuration was read: an agent may have changed it. */
export interface HookFile {
  readonly path: string;
  /** SHA-256, in hexadecimal; `null` where it could not be read. */
  readonly sha256: string | null;
}

const INTERPRETERS: Readonly<Record<string, string>> = { py: 'python3', js: 'node', mjs: 'node', cjs: 'node', sh: 'sh' };

/** How a script is started: by the program that its name asks for, else by itself. */
export function toScriptCommand(path: string): readonly string[] {
  const interpreter = readOwn(INTERPRETERS, /\.([a-z]+)$/.exec(path)?.[1] ?? '');
  return interpreter === undefined ? [path] : [interpreter, path];
}

/** An event before it is routed, or the completion. */
export interface PublishedDraft {
  readonly topic: string;
  readonly payload: Json;
  readonly target?: string;
}

/** A call that was made, among all calls of an answer. */
export interface HookedResult {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: { readonly [key: string]: unknown };
  readonly tool_output: string;
  readonly tool_is_error: boolean;
}

/** What a hook is told, as JSON. Times are ISO 8601 in UTC. */
export interface HookEvent {
  readonly schema_version: 1;
  readonly hook_type: HookEventName;
  readonly hook_event_name: HookEventName;
  /** The turn: `7.1`. */
  readonly session_id: string;
  /** The run. */
  readonly orchestrator_id: string;
  /** The hat; `null` for Ralph. */
  readonly agent_id: string | null;
  readonly timestamp: string;
  /** Empty where it is about all calls of an answer. */
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: { readonly [key: string]: unknown };
  /** What the tool answered; `null` before it ran. */
  readonly tool_output: string | null;
  readonly tool_is_error: boolean | null;
  /** Of `PermissionRequest`: why a person is to be asked. */
  readonly permission_reason?: string;
  /** All calls of the answer, in their order; absent where it is about one. */
  readonly tool_calls?: readonly HookedResult[];
  readonly cwd: string;
  readonly hat: string;
  /** Of `EventPublish` and `CompletionRequested`. */
  readonly event?: { readonly topic: string; readonly payload: Json; readonly target: string | null };
  /** Of the loop's own events. */
  readonly iteration?: number;
  /** Of the life of a run: why it is told. */
  readonly reason?: string;
  /** More about it, in words. */
  readonly detail?: string;
  /** Of `HatChange`: the hat of the turn before, and that of this one. */
  readonly from?: string;
  readonly to?: string;
  /** Of `NeedsYou`: what is asked. `due_at`: until when an answer is waited for. */
  readonly question?: {
    readonly id: string;
    readonly text: string;
    readonly choices: readonly string[];
    readonly default: string;
    readonly due_at: string;
  };
}

/**
 * How a text of a hook reaches the model: with the result of the tool, as a message of the user behind all results, or as one of the system there, where
 * the model takes such messages.
 */
export const INJECT_STRATEGIES = ['tool_result', 'user_message', 'system_message'] as const;

export interface HookInject {
  readonly content: string;
  readonly strategy: (typeof INJECT_STRATEGIES)[number];
}

/** What a hook decided. */
export interface HookVerdict {
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly reason: string;
  /** In the place of the whole input. */
  readonly updatedInput?: JsonObject;
  /** Keys that are put over the input. */
  readonly mergedInput?: JsonObject;
  /** In the place of the output. */
  readonly updatedOutput?: string;
  /** In the place of parts of an event. */
  readonly updatedEvent?: Partial<PublishedDraft>;
  readonly injects: readonly HookInject[];
}

/** What came of asking a hook. `answer`: what it printed or returned; `null` for nothing. */
export type HookOutcome =
  | { readonly kind: 'answered'; readonly answer: Json }
  /** It ended with exit code 2. */
  | { readonly kind: 'denied'; readonly reason: string; readonly answer: Json }
  /** It threw, ended with another exit code, or said what cannot be read. */
  | { readonly kind: 'failed'; readonly problem: string; readonly answer: Json }
  /** Time was over, whatever it had said by then. */
  | { readonly kind: 'timed-out'; readonly answer: Json }
  /** It is not there, may not be run, or was changed. */
  | { readonly kind: 'not-started'; readonly problem: string; readonly isFileChanged?: true };

/** What all hooks of one moment decided together. */
export interface MergedHooks {
  readonly decision: HookVerdict['decision'];
  /** Each with the name of its hook before it. */
  readonly reason: string;
  /** The input as the hooks left it; absent: as it was. */
  readonly input?: JsonObject;
  /** The output as the hooks left it; absent: as it was. */
  readonly output?: string;
  readonly injects: readonly HookInject[];
  readonly runs: readonly HookRun[];
}
