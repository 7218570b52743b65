import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { accept, type Result, refuse } from '../../../core/index.ts';
import type { ToolContext } from '../../tool/tool.ts';
import { type GuardPlan, parseConfigList, planGuards } from './git-guards.ts';
import { type GitAnswer, type GitOrder, runGit } from './run-git.ts';

/** The repository that the workspace is in, looked at before anything is done with it. */
export interface Repository {
  /** Real path of its working tree. */
  readonly root: string;
  readonly guards: GuardPlan;
  /** Runs git in the workspace (or `order.cwd`) with what the repository's own configuration would start switched off. */
  readonly git: (args: readonly string[], order?: GitOrder) => Promise<GitAnswer>;
}

/** Finds the repository of the workspace, or says why git must not be let at it. */
export async function openRepository(context: ToolContext): Promise<Result<Repository>> {
  const { workspace } = context.jail;
  const found = await runGit(['rev-parse', '--show-toplevel'], context);
  if (!found.ok) return refuseRepository(explainMissing(found.problem), adviseMissing(found.problem, workspace));
  const root = await toReal(found.stdout.replace(/\n$/, ''));
  if (root === null || !(await isRootOf(root, workspace))) {
    return refuseRepository(
      'The configuration of the repository (core.worktree) says that its files are somewhere else: git was not let at them.',
      'Work without git, and say so in your result; a person has to look at .git/config.',
    );
  }
  const config = await runGit(['config', '--list', '-z', '--show-scope', '--includes', '--name-only'], context);
  if (!config.ok)
    return refuseRepository(
      `The configuration of the repository cannot be read: ${config.problem}`,
      'A person has to look at .git/config.',
    );
  const guards = planGuards(parseConfigList(config.stdout));
  if (guards.stubborn.length > 0) {
    return refuseRepository(
      'The configuration of the repository names programs in a way that cannot be switched off.',
      'A person has to look at .git/config.',
    );
  }
  return accept({
    root,
    guards,
    git: (args, order = {}) => runGit(args, context, { ...order, overrides: [...guards.overrides, ...(order.overrides ?? [])] }),
  });
}

/** A working tree holds the workspace and has a `.git` of its own; where the configuration says another place, it has none. */
async function isRootOf(root: string, workspace: string): Promise<boolean> {
  const way = relative(root, workspace);
  if (way.startsWith('..') || isAbsolute(way)) return false;
  try {
    await lstat(join(root, '.git'));
    return true;
  } catch {
    return false;
  }
}

async function toReal(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
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

function refuseRepository(reason: string, advice: string): Result<Repository> {
  return refuse({ reason, advice });
}
