import type { ChoiceSetting, FlagSetting } from './setting.ts';

/** `workspace`. */
export const WORKSPACE = {
  kind: 'choice',
  doc: 'Where a run works: `in_place`, in the folder itself, or in a git `worktree` of its own on the branch `ralph/<run>-<task>`. `in_place` by default; `worktree` with `safe`.',
  values: ['in_place', 'worktree'],
} as const satisfies ChoiceSetting;

/** `safe`. */
export const SAFE = {
  kind: 'flag',
  doc: 'A run in a worktree of its own whose agents and gates are held by the sandbox of the operating system, with a home of their own; where that cannot be held, no run begins.',
  default: false,
} as const satisfies FlagSetting;
