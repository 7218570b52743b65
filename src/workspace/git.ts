import { delimiter } from 'node:path';
import { isSecretName } from '../core/index.ts';
import { type CommandResult, runCommand, splitSearchPath } from '../process/index.ts';
import { explainGitFailure, toGitFix } from './explain-git-failure.ts';
import { decodeNames, encodeNames } from './file-names.ts';

const defaultTimeoutMs = 60_000;
const stopGraceMs = 1000;
const outputLimitBytes = 64 << 20;

/** How one git command ended. */
export interface GitResult {
  /** True for exit code 0 with its whole output at hand. */
  readonly ok: boolean;
  /** Null when git could not be started or was ended from outside. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** One sentence for a person; empty when `ok`. */
  readonly problem: string;
}

export interface GitOptions {
  /** Standard input, names as {@link decodeNames} gives them; without it git reads the end of file at once. */
  readonly input?: string;
  /** Absolute path of an index to work with instead of the user's. */
  readonly indexFile?: string;
  /** Settings for this command alone, each as `name=value`. */
  readonly config?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default 60 s. */
  readonly timeoutMs?: number;
}

/** Runs one git command. Never rejects. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitResult>;

/**
 * Set on every command: no hook of the repository runs, no background daemon or clean-up is started (it would outlive the run), no
 * signature is asked for, and a file that loses its line ends on the way in is no reason to fail.
 */
const overrides = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['core.safecrlf', 'false'],
  ['commit.gpgSign', 'false'],
  ['submodule.recurse', 'false'],
  // The summary behind a merge would read `.gitmodules`, see below.
  ['merge.stat', 'false'],
  ['gc.auto', '0'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/**
 * Commands that compare. Left to themselves, they read `.gitmodules` wherever a submodule moved, which an agent may have written: one that git refuses would make
 * them fail, and one that says `ignore = all` would hide the move.
 */
const comparing: ReadonlySet<string> = new Set(['diff', 'diff-tree']);

function withoutModules([command = '', ...args]: readonly string[]): readonly string[] {
  return comparing.has(command) ? [command, '--ignore-submodules=dirty', ...args] : [command, ...args];
}

/** An index of ours is one file, also where the user's is split into two. */
const wholeIndex = ['-c', 'core.splitIndex=false'];

/** What would send git to another repository than the folder's own; set, for one, while a git hook runs. */
const locationVariables = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_LITERAL_PATHSPECS',
  'GIT_GLOB_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
];

/**
 * Git in one folder. Commands are started without a shell, never ask for anything, and speak English, so that their messages can be
 * told apart.
 *
 * @param cwd absolute path of the folder.
 * @param env the complete environment; the variables that point git to some other repository are taken out, and those that hold a secret by their names.
 * @param guard asked before each command for variables that keep git from running what may not be run; absent: nothing is kept from it
 */
export function createGit(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  guard?: () => Promise<Readonly<Record<string, string>>>,
): Git {
  // Keys stay out: git runs programs that the repository names (filters of attributes), and an agent may have named them. Nothing here needs any.
  const cleaned = Object.fromEntries(Object.entries(env).filter(([name]) => !locationVariables.includes(name) && !isSecretName(name)));
  const { outside, inside } = splitSearchPath(env['PATH'], cwd);
  // A `git` that lies in the folder itself may be an agent's.
  const path = env['PATH'] === undefined ? {} : { PATH: [outside, inside].filter((part) => part !== '').join(delimiter) };
  const base = { ...cleaned, ...path, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
  return async (args, options = {}) => {
    const guarded = guard === undefined ? {} : await guard();
    const result = await runCommand({
      command: 'git',
      args: [...overrides, ...(options.indexFile === undefined ? [] : wholeIndex), ...toConfig(options), ...withoutModules(args)],
      cwd,
      env: { ...base, ...(options.indexFile !== undefined && { GIT_INDEX_FILE: options.indexFile }), ...options.env, ...guarded },
      ...(options.input !== undefined && { input: { kind: 'text', text: encodeNames(options.input) } }),
      decode: decodeNames,
      captureBytes: outputLimitBytes,
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
      stopGraceMs,
    });
    return toGitResult(args[0] ?? '', result, cwd);
  };
}

function toConfig({ config = [] }: GitOptions): readonly string[] {
  return config.flatMap((pair) => ['-c', pair]);
}

function toGitResult(name: string, result: CommandResult, cwd: string): GitResult {
  const ok = result.exitCode === 0 && result.stopReason === undefined && !result.isStdoutCut;
  return { ok, exitCode: result.exitCode, stdout: result.stdout, problem: ok ? '' : explainGitFailure(name, result, cwd) };
}

/** A git command that had to succeed did not; the message is a sentence for a person. */
export class GitProblem extends Error {
  /** What mends it, as a sentence or a line; `null`: its message says all. */
  readonly fix: string | null;

  constructor(message: string, fix: string | null = toGitFix(message)) {
    super(message);
    this.fix = fix;
  }
}

/**
 * Runs a git command that has to succeed.
 *
 * @returns its standard output.
 * @throws {@link GitProblem}
 */
export async function demandGit(git: Git, args: readonly string[], options?: GitOptions): Promise<string> {
  const result = await git(args, options);
  if (!result.ok) throw new GitProblem(result.problem);
  return result.stdout;
}
