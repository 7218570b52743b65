import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { ABSENT, type GitStatus, NO_MODE, type OwnIndex, type Repository, type StatusEntry, toTrackedVersion } from './contract.ts';
import { encodeNames } from './file-names.ts';
import { demandGit } from './git.ts';

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
  const text = await demandGit(git, toStatusArguments(question), { ...index, ...(config !== undefined && { config }) });
  const status = parseStatus(text);
  const own = status.entries.filter((entry) => !isOwnState(entry.path));
  return { ...status, entries: own.map((entry) => (isOdd(top, entry) ? { ...entry, kind: 'changed', unstaged: 'D' } : entry)) };
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
