import type { Path } from '../located-value.ts';

/** A key that stood elsewhere in older configurations, and where it stands now. Both as paths. */
export interface MovedKey {
  readonly from: Path;
  readonly to: Path;
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

/** The same for a hat. */
export const MOVED_HAT_KEYS: readonly MovedKey[] = [{ from: ['timeout'], to: ['timeout_seconds'] }];

/** The switch of the first version: no commits, whatever is said of how often. Only this value of it says something. */
export const CHECKPOINT_SWITCH = { from: ['git_checkpoint'], off: false, to: ['event_loop', 'checkpoint_interval'], value: 0 } as const;
