import { toShellWord } from '../core/text/shell-word.ts';
import type { Environment } from '../core/values/environment.ts';
import { type CommandResult, type CommandSpec, runToEnd } from '../process/start-process.ts';
import { askPastPipes } from './awaited-pipe.ts';
import type { Git, GitOptions } from './contract.ts';
import { decodeNames, encodeNames } from './file-names.ts';
import { type GitUser, toGitArguments, toGitEnvironment } from './harden-git.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 1000;

/** How much git may print. */
const MAX_OUTPUT_BYTES: Readonly<Record<GitUser, number>> = { person: 64 << 20, agent: 16 << 20 };

export type GitCommand = CommandSpec & { readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number };

export interface GitStart {
  /** Absolute path of the folder. */
  readonly cwd: string;
  /** The complete environment; what git must not see of it is taken out. */
  readonly env: Environment;
  /** Default: the person. */
  readonly user?: GitUser;
  /** Asked before each command for variables that keep git from running what may not be run. Absent: nothing is kept from it. */
  readonly guard?: () => Promise<Readonly<Record<string, string>>>;
  /** Starts the command in a sandbox, for one. Default: `runToEnd`. */
  readonly run?: (command: GitCommand) => Promise<CommandResult>;
  /** Says why a command failed. Default: in one sentence for a person. */
  readonly explain?: (name: string, result: CommandResult, cwd: string) => string;
}

/**
 * Git in one folder, hardened: see `harden-git.ts`. Commands are started without a shell, never ask for anything, and speak English, so that their messages can be
 * told apart.
 */
export function createGit({ cwd, env, user = 'person', guard, run = runToEnd, explain = explainGitFailure }: GitStart): Git {
  // Once for all commands that speak to nobody: which folders of the search path count costs a look at each of them.
  const silent = toGitEnvironment({ user, env, folder: cwd });
  const toEnvironment = (protocols: string | undefined): Readonly<Record<string, string>> =>
    protocols === undefined ? silent : toGitEnvironment({ user, env, folder: cwd, protocols });
  return async (args, options = {}) => {
    const guarded = guard === undefined ? {} : await guard();
    const { answer: result, pipe } = await askPastPipes(cwd, options.abort, (abort) =>
      run({
        command: 'git',
        args: toGitArguments(user, toConfig(options), args),
        cwd,
        env: { ...toEnvironment(options.protocols), ...toIndex(options), ...options.env, ...guarded },
        ...(options.input !== undefined && { input: { kind: 'text', text: encodeNames(options.input) } }),
        decode: decodeNames,
        captureBytes: MAX_OUTPUT_BYTES[user],
        timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        stopGraceMs: STOP_GRACE_MS,
        abort,
      }),
    );
    const ok = result.exitCode === 0 && result.stopReason === undefined && (!result.isStdoutCut || options.mayBeCut === true);
    if (pipe !== null && !ok) return { ok: false, exitCode: null, stdout: '', problem: `${IN_THE_PLACE}${pipe}${IS_A_PIPE}` };
    return { ok, exitCode: result.exitCode, stdout: result.stdout, problem: ok ? '' : explain(args[0] ?? '', result, cwd) };
  };
}

/** An index of ours is one file, also where the user's is split into two. */
function toConfig({ config = [], indexFile }: GitOptions): readonly string[] {
  return indexFile === undefined ? config : ['core.splitIndex=false', ...config];
}

function toIndex({ indexFile }: GitOptions): Readonly<Record<string, string>> {
  return indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile };
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

const MAX_MESSAGE = 300;
const IN_THE_PLACE = 'in the place of ';
const IS_A_PIPE = ' is a pipe, and git waits for it';

type Failure = Pick<CommandResult, 'status' | 'exitCode' | 'stopReason' | 'isStdoutCut' | 'stderrTail' | 'error'>;

/**
 * Why a git command failed, in one sentence for a person.
 *
 * @param name the subcommand, such as `status`.
 * @param cwd where it ran.
 */
export function explainGitFailure(name: string, result: Failure, cwd: string): string {
  if (result.status === 'spawn-error') {
    return result.error?.code === 'ENOENT' ? 'git was not found on the PATH' : `git could not be started (${result.error?.code})`;
  }
  if (result.stopReason === 'timeout') return `git ${name} took too long and was ended`;
  if (result.stopReason !== undefined) return `git ${name} was stopped`;
  if (result.exitCode === 0 && result.isStdoutCut) return `git ${name} has too much to say: too many files differ`;
  if (result.stderrTail.includes('dubious ownership'))
    return `git refuses this repository, which belongs to another user: ${toSafeAdvice(cwd)}`;
  if (name === 'push') return toRemoteComplaint(result.stderrTail) ?? `git push failed (exit code ${result.exitCode})`;
  return toFilterComplaint(result.stderrTail) ?? toComplaint(result.stderrTail) ?? `git ${name} failed (exit code ${result.exitCode})`;
}

function toSafeAdvice(cwd: string): string {
  return `allow it with \`git config --global --add safe.directory ${cwd}\``;
}

/** Git's own first complaint: later ones mostly follow from it. */
function toComplaint(stderr: string): string | undefined {
  const match = /^(?:fatal|error): (.+)$/m.exec(stderr);
  return match?.[1]?.slice(0, MAX_MESSAGE);
}

const ONLY_THAT_IT_ENDED = /^(?:fatal|error): (?:could not read from remote repository|the remote end hung up)/i;

/** What the other side said, or ssh, stands before git's words that nothing more came from there. */
function toRemoteComplaint(stderr: string): string | undefined {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== '');
  const end = lines.findIndex((line) => ONLY_THAT_IT_ENDED.test(line));
  const said = lines[end - 1]?.replace(/^(?:(?:fatal|error|remote): +)+/, '').trim();
  return end < 1 || !said ? toComplaint(stderr) : said.slice(0, MAX_MESSAGE);
}

const FILTER_FAILS = 'a filter of git’s configuration fails: ';
/** Of a command that asks no remote: who hangs up is the process of a filter. */
const OF_A_FILTER = /(?:clean|smudge) filter '?[^\s']+'? failed|external filter '.*' failed|the remote end hung up/;

function toFilterComplaint(stderr: string): string | undefined {
  if (!OF_A_FILTER.test(stderr)) return undefined;
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const first = lines.findIndex((line) => /^(?:fatal|error): /.test(line));
  const complaint = lines[first]?.replace(/^(?:fatal|error): /, '');
  // What the program itself said stands before what git says of it.
  const said = complaint?.includes('cannot run') || first < 1 || lines[first - 1]?.startsWith('Preparing') ? complaint : lines[first - 1];
  return `${FILTER_FAILS}${said}`.slice(0, MAX_MESSAGE);
}

/** What mends a failure that {@link explainGitFailure} told, for those that git says nothing helpful of; `null` for the others. */
export function toGitFix(problem: string): string | null {
  if (problem.startsWith(IN_THE_PLACE) && problem.endsWith(IS_A_PIPE))
    return `Remove it: rm ${toShellWord(problem.slice(IN_THE_PLACE.length, -IS_A_PIPE.length))}`;
  if (problem.startsWith(FILTER_FAILS))
    return "Install the program that it names, or remove it from git's configuration: git config --show-origin --get-regexp '^filter'";
  if (/auto-detect|empty ident|no (?:email|name) was given|tell me who you are/i.test(problem))
    return 'Tell git who you are, then try again: git config user.name "Your Name"; git config user.email you@example.com';
  if (
    /permission denied \(|permission to \S+ denied|authentication failed|could not read (?:username|password)|returned error: 40[13]|HTTP 40[13]/i.test(
      problem,
    )
  )
    return 'Log in to the other side with a name that may push there, and see that it works: git push --dry-run';
  return null;
}
