import { accept, type Result, refuse } from '../../core/index.ts';
import { type Git, type GuardPlan, locateRepository, readGuards } from '../../git/index.ts';
import { fail, type ToolResult } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { runGit } from './run-git.ts';

/** The repository that the workspace is in, looked at before anything is done with it. */
export interface CheckedRepository {
  /** Absolute path of its working tree. */
  readonly top: string;
  readonly guards: GuardPlan;
  /** Runs git in the workspace with what the repository's own configuration would start switched off. */
  readonly git: Git;
}

/** Finds the repository of the workspace, or says why git must not be let at it. */
export async function openRepository(context: ToolContext): Promise<Result<CheckedRepository, ToolResult>> {
  const { workspace } = context.jail;
  const unguarded: Git = (args, options) => runGit(args, context, options);
  const located = await locateRepository(unguarded, workspace);
  if (!located.ok) {
    const { kind, problem } = located.refused;
    if (kind === 'unreadable') return refuse(fail(explainMissing(problem), adviseMissing(problem, workspace)));
    const what = 'The configuration of the repository (core.worktree) says that its files are somewhere else: git was not let at them.';
    return refuse(fail(what, 'Work without git, and say so in your result; a person has to look at .git/config.'));
  }
  const guards = await readGuards(unguarded);
  if (!guards.ok)
    return refuse(fail(`The configuration of the repository cannot be read: ${guards.refused}`, 'A person has to look at .git/config.'));
  if (guards.value.stubborn.length > 0) {
    const what = 'The configuration of the repository names programs in a way that cannot be switched off.';
    return refuse(fail(what, 'A person has to look at .git/config.'));
  }
  return accept({
    top: located.value.top,
    guards: guards.value,
    git: (args, options = {}) => runGit(args, context, { ...options, config: [...guards.value.config, ...(options.config ?? [])] }),
  });
}

function explainMissing(problem: string): string {
  return problem.includes('not a git repository') ? 'The workspace is not in a git repository.' : problem;
}

function adviseMissing(problem: string, workspace: string): string {
  if (problem.includes('not a git repository')) return 'Make one with git_init if your task asks for it; else work without git.';
  if (problem.includes('dubious ownership'))
    return `The folder belongs to another user: a person can allow it with: git config --global --add safe.directory ${workspace}`;
  return '';
}
