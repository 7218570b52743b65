import type { BackendSpec } from '../core/backends/backend-spec.ts';
import type { GateBaseline } from '../core/gates/gate-spec.ts';
import type { HookSpec } from '../core/hooks/hook-spec.ts';
import type { PermissionSpec } from '../core/hooks/permission-spec.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import type { McpServerSpec } from '../core/tools/mcp-server-spec.ts';
import type { ProfilePolicy } from '../core/tools/tool-profiles.ts';
import type { ToolsSpec } from '../core/tools/tools-spec.ts';

/**
 * A configuration, compiled: complete, checked, plain JSON. It is stored in the run's folder, readable by its owner only: the `env` of
 * a backend may hold secrets. The journal gets `spec` alone, which holds none.
 */
export interface Settings {
  readonly version: 1;
  /** The configuration files, as they are shown; empty where only defaults are in force. */
  readonly configFiles: readonly string[];
  /** The command line, so that a later load for the same run can be given the same. */
  readonly flags: ConfigFlags;
  /** `--hats`, as it was typed; absent where it was not. */
  readonly hatsOverlay?: string;
  /** `-c key.path=value`, as they were typed; absent where there are none. */
  readonly assignments?: readonly string[];
  /** What the variables say that `${NAME}` names; absent where none is named. In the folder of a run it is a keyed hash of what the secret ones say. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly spec: RunSpec;
  /** By hat id, `ralph`, and in `mode: single` `default`; in the order in which `on_limit: switch` tries them; at least one each. */
  readonly backends: Readonly<Record<string, readonly BackendSpec[]>>;
  /** The tool profile of each hat, by the same names as `backends`; `null`: nothing holds it back. */
  readonly policies: Readonly<Record<string, ProfilePolicy | null>>;
  /** What these profiles are called; `null` for none. */
  readonly profileNames: Readonly<Record<string, string | null>>;
  /** All profiles that there are, by name: the built-in ones, then those of the file. */
  readonly profiles: Readonly<Record<string, ProfilePolicy>>;
  /** In the order of the file. */
  readonly mcpServers: readonly McpServerSpec[];
  /** `tools:`; absent in runs of earlier versions. */
  readonly tools?: ToolsSpec;
  /** The hooks of each hat that has some, by the same names as `backends`, in the order in which they are asked. */
  readonly hooks?: Readonly<Record<string, readonly HookSpec[]>>;
  /** The same for backends that have hooks of their own, by their `hookList`: those of the hat are among them. */
  readonly backendHooks?: Readonly<Record<string, readonly HookSpec[]>>;
  /** The hooks about a run as a whole, in the order in which they are asked; absent: none. */
  readonly runHooks?: readonly HookSpec[];
  /** How the native agent is given what hooks say behind results; absent: as text. */
  readonly noteForm?: 'json';
  /** The rules about calls of tools of each hat that has some, by the same names. */
  readonly permissions?: Readonly<Record<string, PermissionSpec>>;
  /** What workers of a fleet must have for turns of hats, beside their agents, by the same names; absent: nothing. */
  readonly runsOn?: Readonly<Record<string, readonly string[]>>;
  /** What binds agents beyond their own flags. */
  readonly sandbox: SandboxRules;
  /** Who may publish to the run from outside and stop it. */
  readonly externalEvents: 'open' | 'terminal' | 'off';
  /** What becomes of what agents ask people; absent where it is as {@link DEFAULT_HUMAN} says. */
  readonly human?: HumanSettings;
  /** Whether programs get a process namespace of their own; absent in runs of earlier versions. */
  readonly isolation?: 'auto' | 'off' | 'required';
  /** Whether limits are looked for of which an agent CLI says nothing; absent in runs of earlier versions. */
  readonly watchesLimits?: boolean;
  /** Where agent CLIs are looked for, for a backend of type `auto`. */
  readonly priority: readonly BackendSpec['type'][];
  /** Whether agent CLIs get the tool `emit_event`; absent in runs of earlier versions, which had none. */
  readonly emitTool?: 'auto' | 'on' | 'all' | 'off';
  readonly objective: ObjectiveSource;
  readonly prompts: SettingsForPrompts;
  /** Relative to the workspace. */
  readonly stateDir: string;
  /** `null`: the current branch. */
  readonly checkpointBranch: string | null;
  /** Where agents are told to commit; absent: always. */
  readonly agentCommits?: 'own_branch' | 'never';
  /** How many gates run at once; absent in runs of earlier versions. */
  readonly gatesAtOnce?: number;
  /** No gates are declared, so a run looks in the project's files for the command that proves the work; absent: gates are declared, or none are wanted. */
  readonly seeksGate?: true;
  /** Whether gates are run before the first turn; absent: only the one that was found. */
  readonly gateBaseline?: GateBaseline | 'off';
  /** A gate that is found counts although it would fail with the tests of the start; absent: it does not. */
  readonly mayChangeTests?: true;
  /** A command line that is told news of a run. */
  readonly notify: string | null;
  /** What else is said of news; absent: as {@link DEFAULT_NEWS} says. */
  readonly news?: NewsSettings;
  /** Where its runs work; absent: in the folder itself. */
  readonly worksIn?: 'worktree';
  /** Whether every agent and every gate is held, or no run begins; absent: no. */
  readonly isSafe?: true;
  /** Relative to the workspace. */
  readonly worktreeLinks: readonly string[];
  /** By model or backend. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  /** A native agent may begin whose cost is not known, although there is a limit of cost. */
  readonly allowsUnknownCost: boolean;
  /** How much of each output of a turn is kept. */
  readonly turnLogCapBytes: number;
  /** False where findings about the flow of events are only warnings. */
  readonly strictValidation: boolean;
  readonly digest: SettingsDigest;
}

export interface ObjectiveSource {
  readonly from: 'flag' | 'stdin' | 'config' | 'file' | 'none';
  /** The file, as it is shown; `null` where it came from elsewhere. */
  readonly file: string | null;
}

export interface NewsSettings {
  readonly on: readonly ('needs_you' | 'parked' | 'gate_red' | 'near_limit' | 'ended')[];
  /** Gets each news as JSON; `null`: only the command is told. */
  readonly url: string | null;
  /** What the JSON is signed with; `null`: it is not. */
  readonly secret: string | null;
}

/** What counts where `notify` is a command and says nothing else. */
export const DEFAULT_NEWS: NewsSettings = { on: ['needs_you', 'parked', 'ended'], url: null, secret: null };

/** What becomes of what agents ask people. */
export interface HumanSettings {
  /** `auto`: agents may ask; `on`: they are told how; `off`: the default of each question counts at once. */
  readonly ask: 'auto' | 'on' | 'off';
  /** How long an answer is waited for where the question does not say it. */
  readonly deadlineMs: number;
}

/** What counts where the configuration says nothing of it. */
export const DEFAULT_HUMAN: HumanSettings = { ask: 'auto', deadlineMs: 30 * 60_000 };

/** `sandbox:`, `on_violation` and what hats say of them. */
export interface SandboxRules {
  readonly mode: 'auto' | 'off' | 'required';
  /** Globs relative to the workspace, beside the usual ones. */
  readonly scratch: readonly string[];
  /** Absolute, or beginning with `~/`. */
  readonly readable: readonly string[];
  readonly hasNetwork: boolean;
  /** By hat, where it says something itself. */
  readonly hats: Readonly<Record<string, 'auto' | 'off' | 'required'>>;
  readonly onViolation: 'report' | 'revert';
}

/** What of the configuration prompts mention. Paths as an agent in the workspace writes them. */
interface SettingsForPrompts {
  readonly scratchpad: string;
  readonly eventsFile: string;
  readonly specsDir: string;
  /** For temporary files. */
  readonly workspaceDir: string;
  /** The file that the objective was read from; `null` where it came from elsewhere. */
  readonly promptFile: string | null;
  /** Instead of the built-in ones; `null`: the built-in ones. */
  readonly guardrails: readonly string[] | null;
}

/** What a million tokens of a model cost, in US dollars. */
export interface ModelPrice {
  readonly inputUsd: number;
  readonly outputUsd: number;
  readonly cacheReadUsd?: number;
  readonly cacheWriteUsd?: number;
  /** The day on which this was true, as the user wrote it. */
  readonly asOf?: string;
}

/** What a later load is compared with. SHA-256, in hexadecimal. */
export interface SettingsDigest {
  /** Of everything that was configured, the prompt aside. */
  readonly config: string;
  readonly prompt: string;
  /** By key (`event_loop.max_iterations`, `hats.builder`), shortened. */
  readonly keys: Readonly<Record<string, string>>;
}

/** What was said on the command line, as it was written there. */
export interface ConfigFlags {
  /** `-p TEXT`, or the words after `run`. */
  readonly prompt?: string;
  /** `-P FILE`; `-` for standard input. */
  readonly promptFile?: string;
  /** `-b NAME`. */
  readonly backend?: string;
  /** `--model NAME`. */
  readonly model?: string;
  /** `--max-iterations N`. */
  readonly maxIterations?: string | number;
  /** `--max-cost USD`. */
  readonly maxCostUsd?: string | number;
  /** `--max-runtime DURATION`, as in a file: seconds, or `90m`. */
  readonly maxRuntime?: string | number;
  /** `--no-gates`. */
  readonly noGates?: true;
}

export interface Objective {
  readonly text: string;
  readonly source: ObjectiveSource;
}

/** Settings from the command line and the environment, checked. */
export interface Overrides {
  readonly backend?: Exclude<BackendSpec['type'], 'scripted'>;
  readonly model?: string;
  readonly maxIterations?: number;
  readonly maxCostUsd?: number;
  /** In milliseconds. */
  readonly maxRuntime?: number;
}

/** What is asked about the calls of a hat that wears this backend, in order. */
export function findHooks({ hooks = {}, backendHooks = {} }: Settings, hat: string, { hookList }: BackendSpec): readonly HookSpec[] {
  return (hookList === undefined ? undefined : backendHooks[hookList]) ?? hooks[hat] ?? [];
}
