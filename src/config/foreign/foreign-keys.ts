import { isJsonObject, type Json } from '../../core/values/json.ts';
import type { Path } from '../findings/located.ts';

/**
 * Keys of ralph-orchestrator (read in its version 2.10.1) that mean nothing here, by section, with what takes their place. `hat` stands for
 * every `hats.<id>`, `event` for every `events.<topic>`.
 */
export const FOREIGN_KEYS: Readonly<Record<'' | 'event_loop' | 'cli' | 'event' | 'hat', Readonly<Record<string, string>>>> = {
  '': {
    _suppress_warnings:
      'Findings are not suppressed here; `event_loop.strict_validation: false` turns errors about the flow into warnings.',
    allow_unsafe_paths: 'What a hat may read and change is said by its `profile`.',
    adapters: 'Time limits of agents are `event_loop.timeout_seconds` and `idle_timeout_seconds`, also per hat.',
    archive_prompts: 'Every prompt is kept with the run: `ralph show`.',
    backpressure: 'Ralph runs the checks of `gates:` himself.',
    context_threshold: 'Every turn starts with a fresh context.',
    context_window: 'Every turn starts with a fresh context.',
    dry_run: 'It is said on the command line: `ralph run --dry-run`.',
    enable_metrics: 'Every run keeps its own record: `ralph show`, `ralph events`.',
    features: 'Parallel runs are `ralph run --worktree`; checks before a run are always on.',
    git_checkpoint: 'Ralph commits every `event_loop.checkpoint_interval` turns.',
    iteration_telemetry: 'Every run keeps its own record: `ralph show`, `ralph events`.',
    max_prompt_size: 'How long a prompt may be is settled by its budget of tokens.',
    max_tokens: 'Costs are limited by `event_loop.max_cost_usd`.',
    memories: 'What agents are to remember stands in the scratchpad, `core.scratchpad`.',
    output_preview_length: 'All output of an agent is kept: `ralph show`.',
    project: 'A run works in the folder it is started in.',
    retry_delay: 'Transient errors are tried again as `event_loop.retry` says.',
    RObot: 'A command at the end of a run is `notify`.',
    skills: 'Agents find what they are to know in the repository and in `instructions_file`.',
    tasks: 'Agents keep their list of tasks in the scratchpad, `core.scratchpad`.',
    tui: 'There is nothing to set.',
    verbose: 'How much is shown is said on the command line: `ralph run --verbose`, `--quiet`.',
  },
  event_loop: {
    cancellation_promise: 'A person ends a run with `ralph stop`; an agent that cannot go on publishes a `*.blocked` event.',
    context_window_tokens: 'Every turn starts with a fresh context.',
    enforce_hat_scope: 'Hats may always publish only what their `publishes` lists.',
    mutation_score_warn_threshold: 'Checks of the work are commands under `gates:`.',
    persistent: 'A run ends when it is complete; `ralph run` starts another.',
  },
  cli: {
    default_mode: 'Agents always work unattended.',
    experimental_tui: 'There is nothing to set.',
    pty_interactive: 'Agents run without a terminal, their streams are read.',
    pty_mode: 'Agents run without a terminal, their streams are read.',
  },
  event: {
    on_publish: 'What to do with a topic is said in the instructions of the hat that publishes it.',
    on_trigger: 'What to do with a topic is said in the instructions of the hat that takes it.',
  },
  hat: {
    aggregate: 'One hat works at a time, so there is nothing to be gathered.',
    concurrency: 'One hat works at a time.',
    disallowed_tools: 'Say it in a profile, `profiles.NAME.deny`, and name that as the `profile` of the hat.',
    scratchpad: 'All hats share `core.scratchpad`.',
  },
};

/** Tools of agent CLIs as lists of theirs name them, each with the tool or group that it is here. */
export const FOREIGN_TOOLS: Readonly<Record<string, string>> = {
  Bash: 'bash',
  Edit: 'edit_file',
  Glob: 'glob',
  Grep: 'grep',
  LS: 'list_files',
  MultiEdit: 'edit_file',
  NotebookEdit: 'edit_file',
  Read: 'read_file',
  WebFetch: 'web_fetch',
  WebSearch: 'web_search',
  Write: 'write_file',
};

/** What a hat may use that nothing holds back. */
export const ALL_TOOLS = ['fs', 'git', 'github', 'web', 'runtime', 'quality', 'complete', 'mcp:*'] as const;

/** Keys of an agent under `adapters`, with what takes their place. */
export const ADAPTER_KEYS: Readonly<Record<string, string>> = {
  enabled: 'Every agent that is found may be taken; `cli.priority` lists those that may, in their order.',
  max_retries: 'Transient errors are tried again as `event_loop.retry` says.',
  timeout: 'Time limits of agents are `event_loop.timeout_seconds` and `idle_timeout_seconds`, also per hat.',
  tool_permissions: 'What a hat may use is said by its `profile`.',
};

/** Whether a key of an agent under `adapters` held something back: the agent was not to be taken, or not to use every tool. */
export function isAdapterLimit(key: string, value: Json | undefined): boolean {
  if (key === 'enabled') return value === false;
  return key === 'tool_permissions' && !(isJsonObject(value) && value['allow_all'] === true);
}

/** Keys that held a run or a hat there: not read, they would leave it free. */
export const FOREIGN_LIMITS: readonly string[] = ['backpressure', 'disallowed_tools'];

/** Agents that ralph-orchestrator knows by names of its own, as they are written here. */
export const FOREIGN_BACKENDS: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  'kiro-acp': { type: 'acp', command: 'kiro-cli', args: ['acp'] },
  roo: { type: 'custom', command: 'roo', args: ['--print', '--ephemeral'], prompt_mode: 'file', prompt_flag: '--prompt-file' },
  forge: { type: 'custom', command: 'forge', prompt_flag: '-p' },
};

/** A key that stood elsewhere in older configurations, and where it stands now. Both as paths. */
export interface MovedKey {
  readonly from: Path;
  readonly to: Path;
}

/** True for a key whose value takes the place of the map that it stands in. */
export function leadsOutOf({ from, to }: MovedKey): boolean {
  return to.every((step, index) => from[index] === step);
}

const LOOP_KEYS = ['prompt', 'prompt_file', 'completion_promise', 'max_iterations', 'checkpoint_interval', 'max_consecutive_failures'];

/** The flat keys of ralph-orchestrator v1, and those of v2 that have another name here. The values stay as they are. */
export const MOVED_KEYS: readonly MovedKey[] = [
  ...LOOP_KEYS.map((key) => ({ from: [key], to: ['event_loop', key] })),
  { from: ['max_runtime'], to: ['event_loop', 'max_runtime_seconds'] },
  { from: ['max_cost'], to: ['event_loop', 'max_cost_usd'] },
  { from: ['agent'], to: ['cli', 'backend'] },
  { from: ['agent_args'], to: ['cli', 'args'] },
  { from: ['agent_priority'], to: ['cli', 'priority'] },
  { from: ['cli', 'idle_timeout_secs'], to: ['event_loop', 'idle_timeout_seconds'] },
  { from: ['event_loop', 'idle_timeout_secs'], to: ['event_loop', 'idle_timeout_seconds'] },
  { from: ['core', 'scratchpad', 'path'], to: ['core', 'scratchpad'] },
];

export const MOVED_HAT_KEYS: readonly MovedKey[] = [{ from: ['timeout'], to: ['timeout_seconds'] }];

/** The switch of the first version: no commits, whatever is said of how often. Only this value of it says something. */
export const CHECKPOINT_SWITCH = { from: ['git_checkpoint'], off: false, to: ['event_loop', 'checkpoint_interval'], value: 0 } as const;
