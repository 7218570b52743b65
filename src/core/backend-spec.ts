/**
 * Every kind of agent that can be named in `backend:`. The agent CLIs come first, in the default order of `cli.priority`;
 * `scripted` plays turns that were written beforehand, `auto` stands for the first CLI that is found.
 */
export const BACKEND_TYPES = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'pi',
  'copilot',
  'qwen',
  'cline',
  'auggie',
  'amp',
  'kiro',
  'acp',
  'custom',
  'scripted',
  'auto',
] as const;

export type BackendType = (typeof BACKEND_TYPES)[number];

/** The kinds that are a program of their own and can be looked for on a PATH, in the default order of `cli.priority`. */
export const DETECTED_BACKENDS: readonly BackendType[] = BACKEND_TYPES.slice(0, BACKEND_TYPES.indexOf('acp'));

/**
 * One agent as it was declared: which program, with what. Complete but for what its kind has a default for; plain data.
 * A hat has a list of these (`on_limit: switch` goes down the list).
 */
export interface BackendSpec {
  readonly type: BackendType;
  /** The program: a name to be looked up in PATH, or a path (relative ones count from the workspace). Absent: the kind's own. */
  readonly command?: string;
  /** The user's own arguments. */
  readonly args: readonly string[];
  readonly model?: string;
  /** The agent (persona) of a CLI that has them, such as kiro's `--agent`. */
  readonly agent?: string;
  /** Added to the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Working folder, relative to the workspace. Absent: the workspace. */
  readonly cwd?: string;
  /** How the prompt is handed over; absent: as the kind prefers. What is too long for an argument goes another way all the same. */
  readonly promptMode?: 'arg' | 'stdin' | 'file';
  /** `custom` only: the flag that comes before the prompt or the prompt file; one that ends with `=` is joined to it. */
  readonly promptFlag?: string;
  /** `custom` only: `text` (default), `stream` (some JSON stream, found out by its first line), or the name of a CLI whose stream it speaks. */
  readonly outputFormat?: string;
  /** `bypass`: the CLI asks nobody before it uses a tool. `default`: whatever the CLI does by itself. */
  readonly permissions: 'bypass' | 'default';
}

/** A label for people and reports: `claude`, `kiro:builder`, `custom:./agent.sh`. */
export function toBackendLabel(spec: BackendSpec): string {
  if (spec.type === 'custom' || spec.type === 'acp') return spec.command === undefined ? spec.type : `${spec.type}:${spec.command}`;
  return spec.agent === undefined ? spec.type : `${spec.type}:${spec.agent}`;
}
