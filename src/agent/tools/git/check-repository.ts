import { accept, type Result, refuse } from '../../../core/values/result.ts';
import type { Git, GitOptions, GitResult } from '../../../git/contract.ts';
import { createGit } from '../../../git/git.ts';
import { type OwnConfig, readOwnConfig } from '../../../git/git-programs.ts';
import { locateRepository } from '../../../git/repository.ts';
import type { CommandResult } from '../../../process/start-process.ts';
import { fail, type ToolContext, type ToolResult } from '../../tool/tool.ts';
import { cleanOutput } from '../../tool/tool-output.ts';
import { findSafeProgram } from '../program/program-environment.ts';
import { runProgram } from '../program/run-program.ts';
import { hideUserInfo } from './git-url.ts';

/** The repository that the workspace is in, looked at before anything is done with it. */
export interface CheckedRepository {
  /** Absolute path of its working tree. */
  readonly top: string;
  /** What its own configuration would have git do: switched off, or a reason to do nothing. */
  readonly own: OwnConfig;
  /** Runs git in the workspace with what the repository's own configuration would start switched off. */
  readonly git: Git;
}

/** Finds the repository of the workspace, or says why git must not be let at it. */
export async function checkRepository(context: ToolContext): Promise<Result<CheckedRepository>> {
  const { workspace } = context.jail;
  const unguarded: Git = (args, options) => runGit(args, context, options);
  const located = await locateRepository(unguarded, workspace);
  if (!located.ok) {
    const { kind, problem } = located.refused;
    if (kind === 'unreadable') return refuse({ reason: explainMissing(problem), advice: adviseMissing(problem, workspace) });
    const reason = 'The configuration of the repository (core.worktree) says that its files are somewhere else: git was not let at them.';
    return refuse({ reason, advice: 'Work without git, and say so in your result; a person has to look at .git/config.' });
  }
  const own = await readOwnConfig(unguarded);
  if (!own.ok)
    return refuse({
      reason: `The configuration of the repository cannot be read: ${own.refused}`,
      advice: 'A person has to look at .git/config.',
    });
  if (own.value.stubborn.length > 0) {
    const reason = 'The configuration of the repository names programs in a way that cannot be switched off.';
    return refuse({ reason, advice: 'A person has to look at .git/config.' });
  }
  return accept({
    top: located.value.top,
    own: own.value,
    git: (args, options = {}) => runGit(args, context, { ...options, config: [...own.value.overrides, ...(options.config ?? [])] }),
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

const MAX_PROBLEM_LENGTH = 2000;

/** Runs one git command for a model, in the workspace and in the sandbox of the turn: nothing that the repository names is run. Never rejects. */
export async function runGit(args: readonly string[], context: ToolContext, options: GitOptions = {}): Promise<GitResult> {
  const command = await findSafeProgram('git', context);
  if (command === null) return { ok: false, exitCode: null, stdout: '', problem: 'git was not found on the PATH' };
  const git = createGit({
    cwd: context.jail.workspace,
    env: context.env,
    user: 'agent',
    run: ({ decode: _, stopGraceMs: __, ...order }) => runProgram({ ...order, command }, context),
    explain,
  });
  return git(args, options);
}

/** What git had to complain of, readable and without passwords. */
function explain(name: string, result: CommandResult): string {
  if (result.status === 'spawn-error') return `git could not be started: ${result.error?.message ?? 'no reason given'}`;
  if (result.stopReason === 'timeout') return `git ${name} took too long and was ended`;
  if (result.stopReason !== undefined) return `git ${name} was stopped with the turn`;
  if (result.exitCode === 0) return `git ${name} has too much to say`;
  const said = hideUserInfo(cleanOutput(result.stderr.trim() === '' ? result.stdout : result.stderr)).trim();
  return said === '' ? `git ${name} failed (exit code ${result.exitCode})` : said.slice(0, MAX_PROBLEM_LENGTH);
}

export function failGit({ problem }: GitResult, advice = ''): ToolResult {
  return fail(problem, advice);
}

/** What is told where filters of the repository were switched off. */
export function toFilterNote(filters: readonly string[]): readonly string[] {
  if (filters.length === 0) return [];
  return [`[the repository's own filters were not run: ${filters.join(', ')}; files that they change may show as modified]`];
}
