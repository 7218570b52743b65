/** What pure code asks of an agent CLI. All else is told in its folder, `src/backends/<cli>/`. */
interface AgentCli {
  /** What its stream tells of a turn's cost: money, tokens that a price table can turn into money, or nothing. */
  readonly costs: 'cost' | 'tokens' | 'nothing';
  /** How a person signs in: the end of a sentence. */
  readonly login: string;
  /** False for those that are built from their documentation alone and were never tried. */
  readonly isVerified: boolean;
}

/** Every agent CLI that can be named in `backend:`, in the default order of `cli.priority`. One without a folder in `backends` does not compile. */
export const AGENT_CLIS = {
  claude: { costs: 'cost', login: '`claude /login`, or set ANTHROPIC_API_KEY', isVerified: true },
  codex: { costs: 'tokens', login: '`codex login`, or set OPENAI_API_KEY', isVerified: true },
  gemini: { costs: 'tokens', login: 'start `gemini` once and sign in, or set GEMINI_API_KEY', isVerified: true },
  opencode: { costs: 'cost', login: '`opencode auth login`, or set the API key of your provider', isVerified: true },
  pi: { costs: 'cost', login: 'start `pi` once and use /login, or set the API key of your provider', isVerified: true },
  copilot: { costs: 'nothing', login: '`copilot login`, or set GH_TOKEN', isVerified: true },
  qwen: { costs: 'tokens', login: 'start `qwen` once and sign in, or set OPENAI_API_KEY with `--auth-type openai`', isVerified: true },
  cline: { costs: 'cost', login: '`cline auth`', isVerified: true },
  auggie: { costs: 'nothing', login: '`auggie login`', isVerified: true },
  amp: { costs: 'nothing', login: '`amp login`, or set AMP_API_KEY', isVerified: false },
  kiro: { costs: 'nothing', login: '`kiro-cli login`, or set KIRO_API_KEY', isVerified: false },
} as const satisfies Readonly<Record<string, AgentCli>>;

export type CliType = keyof typeof AGENT_CLIS;

export function isAgentCli(type: string): type is CliType {
  return Object.hasOwn(AGENT_CLIS, type);
}

const OTHER_BACKENDS = ['acp', 'custom', 'native', 'scripted', 'auto'] as const;

/**
 * The kinds that are no agent CLI: any program that speaks the Agent Client Protocol (`acp`) and any other (`custom`), our own agent (`native`), turns that
 * were written beforehand (`scripted`), and the first CLI that is found (`auto`).
 */
export type OtherBackendType = (typeof OTHER_BACKENDS)[number];

/** Every kind of agent that can be named in `backend:`. */
export type BackendType = CliType | OtherBackendType;

/** The agent CLIs: programs that can be looked for on a PATH, in the default order of `cli.priority`. */
export const DETECTED_BACKENDS: readonly BackendType[] = Object.keys(AGENT_CLIS) as CliType[];

/** The agent CLIs first. */
export const BACKEND_TYPES: readonly BackendType[] = [...DETECTED_BACKENDS, ...OTHER_BACKENDS];

/** Those that are built from their documentation alone and were never tried. */
export const UNVERIFIED_BACKENDS: readonly BackendType[] = DETECTED_BACKENDS.filter(
  (type) => isAgentCli(type) && !AGENT_CLIS[type].isVerified,
);

/** A kind of agent in a list of them, for people: `codex`, `amp (unverified)`. */
export function toListedBackend(type: string): string {
  return UNVERIFIED_BACKENDS.some((each) => each === type) ? `${type} (unverified)` : type;
}

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
  readonly promptMode?: 'arg' | 'stdin' | 'file' | 'stream';
  /** `custom` only: the flag that comes before the prompt or the prompt file; one that ends with `=` is joined to it. */
  readonly promptFlag?: string;
  /** `custom` only: `text` (default), `stream` (some JSON stream, found out by its first line), or the name of a CLI whose stream it speaks. */
  readonly outputFormat?: string;
  /** `bypass`: the CLI asks nobody before it uses a tool. `default`: whatever the CLI does by itself. */
  readonly permissions: 'bypass' | 'default';
  /** `claude` only: the person's own settings count, with their hooks and plugins. Absent: those of the project alone. */
  readonly userSettings?: boolean;
  /** `native` only, and always there: which model, and within which bounds. */
  readonly native?: NativeSpec;
  /** Which list of the settings' `backendHooks` its calls of tools are asked about, where it asks hooks (`native`). Absent: the hooks of the hat. */
  readonly hookList?: string;
  /** Of an agent of a panel: the profile that binds it, by name; `null`: none does. Absent: that of the hat. */
  readonly profile?: string | null;
}

/** Who answers the native agent: a provider's wire format, or a script. */
export const NATIVE_PROVIDERS = ['anthropic', 'openai', 'google', 'openai-compatible', 'scripted'] as const;

export type NativeProvider = (typeof NATIVE_PROVIDERS)[number];

/** The native agent as it was declared. Its model is the backend's `model`. */
export interface NativeSpec {
  readonly provider: NativeProvider;
  /** In the form that the provider's own library takes. Absent: the provider's own. */
  readonly baseUrl?: string;
  /** The environment variable that holds the key. Absent: the provider's usual ones. */
  readonly apiKeyEnv?: string;
  /** `scripted` only: a YAML file, relative to the workspace. */
  readonly script?: string;
  /** Absent: as the provider does it. */
  readonly effort?: 'low' | 'medium' | 'high';
  /** `fresh`: each turn begins anew. `carry`: the conversation goes on over turns and hats of the same model. */
  readonly context: 'fresh' | 'carry';
  /** Calls of the model in one turn; `null`: no limit. */
  readonly maxSteps: number | null;
  /** Of one turn; `null`: no limit but the run's. */
  readonly maxCostUsd: number | null;
  /** Of one answer; `null`: as the provider does it. */
  readonly maxOutputTokens: number | null;
  /** How much the model can read at once. */
  readonly contextTokens: number;
}

/** A label for people and reports: `claude`, `kiro:builder`, `custom:./agent.sh`. */
export function toBackendLabel(spec: BackendSpec): string {
  if (spec.type === 'custom' || spec.type === 'acp') return spec.command === undefined ? spec.type : `${spec.type}:${spec.command}`;
  if (spec.type === 'native' && spec.native !== undefined) return `native:${spec.native.provider}`;
  return spec.agent === undefined ? spec.type : `${spec.type}:${spec.agent}`;
}

const NATIVE_LOGIN = 'set the key of the model’s provider (`ralph doctor` names its variable)';

/**
 * What a person does about a failure that no other try mends, as one line.
 *
 * @param backend the agent's label, such as `claude` or `custom:./agent.sh`
 */
export function toPersonHelp(backend: string, failure: 'auth' | 'request' | 'missing'): string {
  if (failure === 'missing')
    return `install ${backend === 'auto' ? 'an agent' : backend}, or name one that is there (\`cli.backend\`); \`ralph doctor\` lists them`;
  if (failure === 'request') return `${backend}: check its model (\`cli.model\`, or \`backend: {model}\` of the hat) and its arguments`;
  const type = backend.split(':')[0] ?? '';
  const known = type === 'native' ? NATIVE_LOGIN : isAgentCli(type) ? AGENT_CLIS[type].login : undefined;
  return `sign in to ${backend}: ${known ?? 'with its own command, or renew its key'}`;
}
