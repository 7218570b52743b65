import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ABSENT, type GitStatus, NO_MODE, type OwnIndex, type Repository, type StatusEntry, toTrackedVersion } from './contract.ts';
import { encodeNames } from './file-names.ts';
import { demandGit, GitProblem } from './git.ts';

const SUBMODULE_MODE = '160000';

/**
 * Reads `git status --porcelain=v2 -z --branch --no-renames`. Records of an unknown kind are passed over: git may add some.
 * Format: git-status(1), "Porcelain Format Version 2".
 */
export function parseStatus(text: string): GitStatus {
  let head: string | null = null;
  let branch: string | null = null;
  const entries: StatusEntry[] = [];
  for (const record of text.split('\0')) {
    if (record.startsWith('# branch.oid ')) head = toHeader(record, '(initial)');
    else if (record.startsWith('# branch.head ')) branch = toHeader(record, '(detached)');
    else {
      const entry = parseEntry(record);
      if (entry) entries.push(entry);
    }
  }
  return { head, branch, entries };
}

function toHeader(record: string, nothing: string): string | null {
  const value = record.split(' ').slice(2).join(' ');
  return value === nothing ? null : value;
}

function parseEntry(record: string): StatusEntry | undefined {
  if (record.startsWith('? ')) return toUnknown(record.slice(2), 'untracked', '?');
  if (record.startsWith('! ')) return toUnknown(record.slice(2), 'ignored', '!');
  // 1 <XY> <sub> <mH> <mI> <mW> <hH> <hI> <path>
  if (record.startsWith('1 ')) return toTracked(record, 8, 'changed');
  // u <XY> <sub> <m1> <m2> <m3> <mW> <h1> <h2> <h3> <path>
  if (record.startsWith('u ')) return toTracked(record, 10, 'unmerged');
  return undefined;
}

function toUnknown(path: string, kind: 'untracked' | 'ignored', code: string): StatusEntry {
  return { path, kind, staged: code, unstaged: code, head: ABSENT, index: ABSENT, isRepository: path.endsWith('/') };
}

function toTracked(record: string, fields: number, kind: 'changed' | 'unmerged'): StatusEntry {
  const words = record.split(' ', fields);
  const [, code = '..', submodule = '', headMode = NO_MODE, indexMode = NO_MODE, workMode = NO_MODE, headId = '', indexId = ''] = words;
  const isMerged = kind === 'changed';
  return {
    path: record.slice(words.join(' ').length + 1),
    kind,
    staged: code[0] ?? '.',
    unstaged: code[1] ?? '.',
    head: isMerged ? toTrackedVersion(headMode, headId) : ABSENT,
    index: isMerged ? toTrackedVersion(indexMode, indexId) : ABSENT,
    isRepository: submodule.startsWith('S') || [headMode, indexMode, workMode].includes(SUBMODULE_MODE),
  };
}

/** What `git status` is asked for, beside what it always tells. */
export interface StatusQuestion {
  /** Also what the repository ignores, a folder that a pattern names as one entry. */
  readonly withIgnored?: boolean;
  /** One of ours instead of the user's. */
  readonly index?: OwnIndex;
  /** Settings for this command alone, each as `name=value`. */
  readonly config?: readonly string[];
  /** `passed-over`: says nothing of submodules. Absent: only whether their commit is another one. */
  readonly submodules?: 'passed-over';
  /** Only what lies in these, from the folder in which git is started. Absent: everything. */
  readonly paths?: readonly string[];
}

/**
 * The status of the whole repository, each file for itself, without the state folders. A file in whose place is a pipe, a socket or a device is gone: git calls it changed,
 * and then can store nothing.
 *
 * @throws GitProblem
 */
export async function readStatus(
  { git, top, isOwnState }: Pick<Repository, 'git' | 'top' | 'isOwnState'>,
  question: StatusQuestion = {},
): Promise<GitStatus> {
  const { index, config } = question;
  const text = await askPastPipes({ git, top }, (abort) =>
    demandGit(git, toStatusArguments(question), { ...index, ...(config !== undefined && { config }), abort }),
  );
  const status = parseStatus(text);
  const own = status.entries.filter((entry) => !isOwnState(entry.path));
  return { ...status, entries: own.map((entry) => (isOdd(top, entry) ? { ...entry, kind: 'changed', unstaged: 'D' } : entry)) };
}

/** Git that takes longer may wait for a pipe; one that reads a large tree is not in the way of a look at its folders. */
const LATE_MS = 2000;
/** So many folders are looked at. */
const MAX_FOLDERS = 20_000;
const IGNORING = '.gitignore';
/** What git reads in each folder of tracked files. */
const READ_BY_GIT = [IGNORING, '.gitattributes'];

/**
 * Asks git something for which it reads what is to be ignored, and does not wait with it for a pipe in the place of such a file: at the top that is looked for before, in all other
 * folders where git takes long. An answer that comes soon costs nothing but two looks.
 *
 * @throws GitProblem that names the pipe; what `ask` throws
 */
async function askPastPipes<Answer>(
  { git, top }: Pick<Repository, 'git' | 'top'>,
  ask: (abort: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const first = findPipe(top, ['']);
  if (first !== null) throw toProblem(first);
  const [answered, ended] = [new AbortController(), new AbortController()];
  let late: GitProblem | null = null;
  const look = async (): Promise<void> => {
    // From the index alone: for this git reads none of these files.
    const names = await demandGit(git, ['ls-files', '-z', '--full-name', '--', top]).catch(() => '');
    const found = findPipe(top, listFolders(names)) ?? (await findUntracked({ git, top }, answered.signal));
    if (found === null) return;
    late = toProblem(found);
    ended.abort();
  };
  const timer = setTimeout(() => void look().catch(() => undefined), LATE_MS);
  try {
    return await ask(ended.signal);
  } catch (error) {
    throw late ?? error;
  } finally {
    clearTimeout(timer);
    answered.abort();
  }
}

function toProblem(name: string): GitProblem {
  return new GitProblem(`in the place of ${name} is a pipe, a socket or a device, and git would wait for it`, `Remove it: rm ${name}`);
}

/** The first one in these folders, each `''` or with a `/` at its end. */
function findPipe(top: string, folders: Iterable<string>): string | null {
  for (const folder of folders) {
    const found = READ_BY_GIT.find((name) => isSpecial(join(top, folder, name)));
    if (found !== undefined) return folder + found;
  }
  return null;
}

function listFolders(names: string): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const name of names.split('\0')) {
    for (let end = name.lastIndexOf('/'); end > 0 && folders.size < MAX_FOLDERS; end = name.lastIndexOf('/', end - 1)) {
      const folder = name.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** One in a folder in which nothing is tracked, the least deep first. Into what it ignores, git does not look. */
async function findUntracked(repository: Pick<Repository, 'git' | 'top'>, answered: AbortSignal): Promise<string | null> {
  const folders = [''];
  // Those that are added meanwhile come, too.
  for (const folder of folders) {
    if (answered.aborted) return null;
    const entries = await readdir(join(repository.top, folder), { withFileTypes: true }).catch(() => []);
    // Into another repository git does not look either.
    if (folder !== '' && entries.some(({ name }) => name === '.git')) continue;
    const pipe = entries.find((entry) => entry.name === IGNORING && !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink());
    if (pipe !== undefined && !(await isIgnored(repository, folder, answered))) return folder + IGNORING;
    const inner = entries.filter((entry) => entry.isDirectory() && entry.name !== '.git').map(({ name }) => `${folder}${name}/`);
    folders.push(...inner.slice(0, Math.max(0, MAX_FOLDERS - folders.length)));
  }
  return null;
}

/** For this git reads what the folders around it say, and these have been looked at; where it waits for something all the same, it is not ignored. */
async function isIgnored({ git, top }: Pick<Repository, 'git' | 'top'>, folder: string, answered: AbortSignal): Promise<boolean> {
  const abort = AbortSignal.any([answered, AbortSignal.timeout(LATE_MS)]);
  return (await git(['check-ignore', '--quiet', '--', join(top, folder.slice(0, -1))], { abort })).exitCode === 0;
}

/** Whether it is a pipe, a socket or a device. */
function isSpecial(path: string): boolean {
  const stats = lstatSync(encodeNames(path), { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory();
}

/** Whether something stands in the place of a tracked file that git cannot store. */
function isOdd(top: string, { kind, path, unstaged, isRepository }: StatusEntry): boolean {
  if (isRepository || unstaged === '.' || unstaged === 'D' || (kind !== 'changed' && kind !== 'unmerged')) return false;
  return isSpecial(join(top, path));
}

/** The command whose output {@link parseStatus} reads. No git is started in a submodule, where its own configuration would count. */
export function toStatusArguments({ withIgnored, submodules, paths }: StatusQuestion): readonly string[] {
  return [
    ...['status', '--porcelain=v2', '-z', '--branch', '--no-ahead-behind', '--untracked-files=all', '--no-renames'],
    `--ignore-submodules=${submodules === 'passed-over' ? 'all' : 'dirty'}`,
    ...(withIgnored === true ? ['--ignored=matching'] : []),
    ...(paths === undefined ? [] : ['--', ...paths]),
  ];
}
