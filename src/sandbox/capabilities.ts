import type { ToolVerdict } from '../core/index.ts';

/** What a hat may do, in the words of what any agent can do: a profile without the names of our own tools. */
export interface Capabilities {
  readonly mayRead: boolean;
  /** Files of the workspace. */
  readonly mayWrite: boolean;
  /** Any command. */
  readonly mayRunShell: boolean;
  /** The commands that check the project: tests, lint, build. */
  readonly mayRunQuality: boolean;
  readonly mayGitRead: boolean;
  readonly mayGitWrite: boolean;
  readonly mayGithub: boolean;
  readonly mayWeb: boolean;
  readonly mayComplete: boolean;
}

/** The capabilities behind the verdicts of a profile. A group counts as soon as one tool of it is offered. */
export function toCapabilities(verdicts: readonly ToolVerdict[]): Capabilities {
  const offered = verdicts.filter((verdict) => verdict.isOffered).map((verdict) => verdict.card);
  const has = (group: string): boolean => offered.some((card) => card.group === group);
  return {
    mayRead: has('fs_read'),
    mayWrite: has('fs_write'),
    // Asking which runtimes there are belongs to the group as well, and runs nothing.
    mayRunShell: offered.some((card) => card.group === 'runtime' && !card.hints.readOnly),
    mayRunQuality: has('quality'),
    mayGitRead: has('git_read'),
    mayGitWrite: has('git_write'),
    mayGithub: has('github'),
    mayWeb: has('web'),
    mayComplete: has('complete'),
  };
}

/** Whether the hat may change the working tree in any way; one that may not gets the workspace read-only and is looked after. */
export function mayChangeTree(may: Capabilities): boolean {
  return may.mayWrite || may.mayRunShell || may.mayGitWrite;
}

/** Whether a CLI may show everything it can do but its web tools. */
export function mayWork(may: Capabilities): boolean {
  return may.mayRead && may.mayWrite && may.mayRunShell;
}
