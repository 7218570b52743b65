import { createGit, type GitOptions, type GitResult } from '../../git/index.ts';
import type { CommandResult } from '../../process/index.ts';
import { fail, type ToolResult } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { cleanOutput } from './clean-output.ts';
import { findProgram } from './find-program.ts';
import { hideUserInfo } from './git-url.ts';
import { runProgram } from './run-program.ts';

const MAX_PROBLEM_LENGTH = 2000;

/** Runs one git command for a model, in the workspace and in the sandbox of the turn: nothing that the repository names is run. Never rejects. */
export async function runGit(args: readonly string[], context: ToolContext, options: GitOptions = {}): Promise<GitResult> {
  const command = await findProgram('git', context);
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

/** What a model is told of a command that failed. */
export function failGit({ problem }: GitResult, advice = ''): ToolResult {
  return fail(problem, advice);
}
