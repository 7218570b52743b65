import { readOwn } from '../values/json.ts';

/** Moments at which hooks are asked: before a call of a tool, after it went well, after it failed, and after all calls of one answer of the model. */
export const HOOK_EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch'] as const;

export type HookEventName = (typeof HOOK_EVENTS)[number];

/** Other names of these moments, as other tools call them. */
const ALIASES: Readonly<Record<string, HookEventName>> = {
  pre_call: 'PreToolUse',
  post_call: 'PostToolUse',
  BeforeTool: 'PreToolUse',
  AfterTool: 'PostToolUse',
};

/** The moment that a name means; `undefined` for none. */
export function findHookEvent(name: string): HookEventName | undefined {
  return HOOK_EVENTS.find((known) => known === name) ?? readOwn(ALIASES, name);
}

/** A hook: what is asked when, for which tools, and what counts where it does not answer. */
export interface HookSpec {
  /** As the journal and people know it; its handler where the configuration gives no name. */
  readonly name: string;
  readonly event: HookEventName;
  /** Which tools it is about; see {@link createToolMatcher}. */
  readonly matcher: string;
  readonly handler: HookHandler;
  readonly timeoutMs: number;
  /** A hook that fails, or gives no answer in time, denies the call. By default only one that cannot be started does. */
  readonly isFailClosed: boolean;
  /** Its program stays for the turn, and is asked line by line. */
  readonly isKeptAlive?: true;
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
  /** All calls of the answer, in their order; absent where it is about one. */
  readonly tool_calls?: readonly HookedResult[];
  readonly cwd: string;
  readonly hat: string;
}
