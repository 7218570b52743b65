import { devNull } from 'node:os';
import type { CommandResult } from '../../../process/index.ts';
import { fail, type ToolContext, type ToolResult } from '../../tool/tool.ts';
import { cleanOutput } from '../../tool/tool-output.ts';
import { findProgram, toSafePath } from '../program/program-environment.ts';
import { runProgram } from '../program/run-program.ts';
import { hideUserInfo } from './git-url.ts';

/** How one git command ended. */
export interface GitAnswer {
  readonly ok: boolean;
  /** Null when git could not be started or was ended from outside. */
  readonly exitCode: number | null;
  /** Whole, as git printed it. */
  readonly stdout: string;
  /** What git had to complain of, readable and without passwords; empty when `ok`. */
  readonly problem: string;
}

export interface GitOrder {
  /** Absolute; default: the workspace. */
  readonly cwd?: string;
  readonly input?: string;
  /** Settings that go over the repository's own. */
  readonly overrides?: readonly (readonly [key: string, value: string])[];
  /** Variables that go over the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Protocols by which it may speak to others, joined by colons; default: none. */
  readonly protocols?: string;
  /** Default 60 s. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 60_000;
const captureBytes = 16 << 20;
const maxProblemLength = 2000;

/**
 * Goes over every configuration, so that nothing the repository says starts a program: hooks, the file system monitor, a pager, an editor, gpg, a
 * question for a password, submodules, clean-ups that outlive the command. A folder that merely looks like a bare repository is none.
 */
const FIXED: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', 'true'],
  ['core.askPass', ''],
  ['core.quotePath', 'false'],
  ['core.safecrlf', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['init.templateDir', ''],
  ['safe.bareRepository', 'explicit'],
  ['color.ui', 'false'],
];

/** Of git's variables these are the person's word on who they are and how they sign in; the others lead elsewhere or start programs. */
const KEPT = /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|CONFIG_GLOBAL|SSH|SSH_COMMAND|SSH_VARIANT|SSL_CAINFO|SSL_CAPATH)$/;

/** Runs one git command: no shell, no question, no pager, English. Never rejects. */
export async function runGit(args: readonly string[], context: ToolContext, order: GitOrder = {}): Promise<GitAnswer> {
  const command = await findProgram('git', context);
  if (command === null) return { ok: false, exitCode: null, stdout: '', problem: 'git was not found on the PATH' };
  const settings = [...FIXED, ...(order.overrides ?? [])].flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const result = await runProgram(
    {
      command,
      args: ['--no-pager', '--literal-pathspecs', ...settings, ...args],
      cwd: order.cwd ?? context.jail.workspace,
      env: await toGitEnvironment(context, order),
      ...(order.input !== undefined && { input: { kind: 'text', text: order.input } }),
      timeoutMs: order.timeoutMs ?? defaultTimeoutMs,
      captureBytes,
    },
    context,
  );
  return toAnswer(args[0] ?? '', result);
}

async function toGitEnvironment(context: ToolContext, order: GitOrder): Promise<Record<string, string>> {
  const kept = Object.entries(context.env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name));
  return {
    ...Object.fromEntries(kept),
    PATH: await toSafePath(context),
    LC_ALL: 'C',
    // How this machine signs in to others may stand in the system's configuration; nothing else does that is needed here.
    ...(order.protocols === undefined && { GIT_CONFIG_NOSYSTEM: '1' }),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    // Set but empty: git then asks nobody, whatever the configuration and SSH_ASKPASS say.
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: order.protocols ?? 'none',
    ...order.env,
  };
}

function toAnswer(name: string, result: CommandResult): GitAnswer {
  const ok = result.exitCode === 0 && result.stopReason === undefined;
  return { ok, exitCode: result.exitCode, stdout: result.stdout, problem: ok ? '' : explain(name, result) };
}

function explain(name: string, result: CommandResult): string {
  if (result.status === 'spawn-error') return `git could not be started: ${result.error?.message ?? 'no reason given'}`;
  if (result.stopReason === 'timeout') return `git ${name} took too long and was ended`;
  if (result.stopReason !== undefined) return `git ${name} was stopped with the turn`;
  const said = hideUserInfo(cleanOutput(result.stderr.trim() === '' ? result.stdout : result.stderr)).trim();
  return said === '' ? `git ${name} failed (exit code ${result.exitCode})` : said.slice(0, maxProblemLength);
}

/** What a model is told of a command that failed. */
export function failGit(answer: GitAnswer, advice = ''): ToolResult {
  return fail(answer.problem, advice);
}
