import { createHash } from 'node:crypto';
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { tryOr } from '../../core/values/result.ts';
import type { GitStatus, ProgramFindings, Repository } from '../../git/contract.ts';
import { demandGit } from '../../git/git.ts';
import { readGitPlaces } from '../../git/git-places.ts';
import { readStatus } from '../../git/status.ts';
import { isSettled, lookAt, toVersion } from './file-version.ts';

/** Files and folders that are looked at: of more, git tells as fast. */
const MAX_LOOKED_AT = 1000;
/** A larger index tracks more than that. */
const MAX_INDEX_BYTES = 256 << 10;
/** Content that is read because it was written just before. */
const MAX_READ_BYTES = 8 << 20;
/** After so many looks that found more, git alone is asked for a while: what is ignored is not listed then. */
const MAX_MISSES = 3;
const LOOK_AGAIN = 20;
const IGNORE_FILE = '.gitignore';
/** Stands in a name for bytes that are no UTF-8. */
const REPLACED = '\uFFFD';

/**
 * Reads the status of a working tree again and again. Git is asked only where something may differ from the last time: its index, HEAD, configuration and rules, a tracked file, the names in a folder that
 * is not ignored. These are looked at before git is, so that what changes meanwhile differs the next time; what was written so short a time ago that it may change without looking otherwise is compared
 * itself. Of a repository with many files, or with others in it, git is asked each time.
 *
 * @returns as `readStatus`; throws GitProblem
 */
export function createStatusReader(repository: Repository): () => Promise<GitStatus> {
  const { top } = repository;
  let last: Known | null = null;
  let ignored: ReadonlySet<string> = new Set();
  /** How often in a row there was more than is looked at. */
  let misses = 0;
  return async () => {
    const config = (await repository.findPrograms?.()) ?? null;
    if (last !== null && last.config === config?.look && stands(top, last)) return last.status;
    const known = last;
    last = null;
    const own = config === null ? null : markGitFiles(repository, config);
    if (config === null || own === null) return readStatus(repository);
    if (misses >= MAX_MISSES) {
      // It may have become less.
      misses = misses >= LOOK_AGAIN ? 0 : misses + 1;
      return readStatus(repository);
    }
    const look = lookAround(repository, ignored);
    misses = look === null ? misses + 1 : 0;
    const asked = await Promise.all([
      readStatus(repository, { withIgnored: true }),
      known !== null && hasSameIndex(known.own, own) ? known.tracked : listTracked(repository),
    ]).catch(() => null);
    if (asked === null) {
      // What is ignored may be too much to be told.
      misses = MAX_MISSES;
      return readStatus(repository);
    }
    const [{ entries, ...rest }, tracked] = asked;
    const status: GitStatus = { ...rest, entries: entries.filter(({ kind }) => kind !== 'ignored') };
    ignored = new Set(entries.flatMap(({ kind, path }) => (kind === 'ignored' && path.endsWith('/') ? [path.slice(0, -1)] : [])));
    if (look !== null && isKnowable(repository, look, status, tracked, ignored))
      last = { ...withoutIgnored(look, tracked, ignored), own, status, tracked, config: config.look };
    return status;
  };
}

/** How a file looks. `content`: of one that may still change without looking otherwise. */
interface FileMark {
  readonly look: string;
  content: string | null;
}

/** The names in a folder, with their kinds. `look`: `null` where they may still change without the folder looking otherwise. */
interface FolderMark {
  look: string | null;
  readonly names: string;
}

/** By path from the top. */
interface SeenTree {
  /** Folders that were passed over. */
  readonly skipped: readonly string[];
  readonly files: ReadonlyMap<string, FileMark>;
  readonly folders: ReadonlyMap<string, FolderMark>;
}

/** A status, and what was seen before it was asked for. */
interface Known extends Omit<SeenTree, 'skipped'> {
  readonly status: GitStatus;
  readonly tracked: ReadonlySet<string>;
  /** Git's own files by their absolute paths, the index first. */
  readonly own: ReadonlyMap<string, FileMark>;
  readonly config: string | null;
}

function hasSameIndex(before: Known['own'], now: Known['own']): boolean {
  const [[was], [is]] = [[...before.values()], [...now.values()]];
  return was?.content === null && was.look === is?.look;
}

async function listTracked({ git }: Repository): Promise<ReadonlySet<string>> {
  const names = (await demandGit(git, ['ls-files', '-z', '--cached'])).split('\0');
  return new Set(names.filter((name) => name !== ''));
}

/** Git's own files on which a status depends; `null` where it cannot be told which they are, or there is much to look at. */
function markGitFiles({ top, gitDir }: Repository, { look, excludeFiles }: ProgramFindings): ReadonlyMap<string, FileMark> | null {
  const { gitDir: own, commonDir } = readGitPlaces(top, gitDir);
  const index = join(own, 'index');
  const branch = listBranchFiles(own, commonDir);
  const isLarge = (lookAt(index)?.size ?? 0) > MAX_INDEX_BYTES;
  if (look === null || excludeFiles === null || branch === null || isLarge) return null;
  const paths = [index, ...branch, join(commonDir, 'info', 'exclude'), ...excludeFiles];
  return new Map(paths.map((path) => [path, mark(path, lookThrough(path))]));
}

/** The files that say which commit is checked out; `null` where it is said in another way. */
function listBranchFiles(gitDir: string, commonDir: string): readonly string[] | null {
  const head = readText(join(gitDir, 'HEAD'));
  if (OBJECT_ID.test(head)) return [join(gitDir, 'HEAD')];
  const ref = /^ref: (refs\/.+)\n$/.exec(head)?.[1];
  if (ref === undefined || existsSync(join(commonDir, 'reftable'))) return null;
  const branch = join(commonDir, ref);
  return /^(?:[0-9a-f]{40,64}\n)?$/.test(readText(branch)) ? [join(gitDir, 'HEAD'), branch, join(commonDir, 'packed-refs')] : null;
}

const OBJECT_ID = /^[0-9a-f]{40,64}\n$/;

/** Of a pipe, from which nobody may ever read to the end, nothing. */
function readText(path: string): string {
  return tryOr(() => (lookThrough(path)?.isFile() === true ? readFileSync(path, 'utf8') : ''), '');
}

/** Marks all that is not in an ignored folder; `null` where that is much, or not to be told. */
function lookAround({ top, isOwnState }: Repository, ignored: ReadonlySet<string>): SeenTree | null {
  const files = new Map<string, FileMark>();
  const folders = new Map<string, FolderMark>();
  const skipped: string[] = [];
  let bytes = MAX_READ_BYTES;
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const found = markFolder(join(top, folder));
    if (found === null || files.size + folders.size + found.entries.length > MAX_LOOKED_AT) return null;
    folders.set(folder, found.mark);
    for (const entry of found.entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path === '.git' || isOwnState(path)) continue;
      if (ignored.has(path)) {
        skipped.push(path);
        continue;
      }
      // A repository in this one has files of git's own.
      if (entry.name === '.git') return null;
      if (entry.isDirectory()) waiting.push(path);
      else {
        const stats = lookAt(join(top, path));
        bytes -= stats === undefined || isSettled(stats) ? 0 : stats.size;
        if (bytes < 0) return null;
        files.set(path, mark(join(top, path), stats));
      }
    }
  }
  return { files, folders, skipped };
}

/** The folder is looked at before its names are read: a name that comes in between makes it look otherwise the next time. */
function markFolder(path: string): { readonly mark: FolderMark; readonly entries: readonly Dirent[] } | null {
  return tryOr(() => {
    const stats = lstatSync(path);
    const isOld = isSettled(stats);
    const entries = readdirSync(path, { withFileTypes: true });
    const names = entries.map((entry) => `${toKind(entry)}${entry.name}`).sort();
    if (!stats.isDirectory() || names.some((name) => name.includes(REPLACED))) return null;
    return { mark: { look: isOld ? toVersion(stats) : null, names: names.join('\0') }, entries };
  }, null);
}

function toKind(entry: Dirent): string {
  if (entry.isDirectory()) return '/';
  return entry.isFile() ? '-' : entry.isSymbolicLink() ? '>' : '?';
}

function mark(path: string, stats: Stats | undefined): FileMark {
  if (stats === undefined) return { look: '', content: null };
  const isOld = isSettled(stats);
  return { look: toVersion(stats), content: isOld ? null : readContent(path, stats) };
}

function readContent(path: string, stats: Stats): string {
  return tryOr(() => {
    if (!stats.isFile() && !stats.isSymbolicLink()) return '';
    const bytes = stats.isFile() ? readFileSync(path) : readlinkSync(path, 'buffer');
    return createHash('sha256').update(bytes).digest('hex');
  }, 'unreadable');
}

/** Git’s own files, and those that name what it ignores, may be links to where they are kept. */
function lookThrough(path: string): Stats | undefined {
  return tryOr(() => statSync(path), undefined);
}

/** Whether what was seen says all about a status. */
function isKnowable(
  { top, isOwnState }: Pick<Repository, 'top' | 'isOwnState'>,
  { files, skipped }: SeenTree,
  { entries }: GitStatus,
  tracked: ReadonlySet<string>,
  ignored: ReadonlySet<string>,
): boolean {
  // A file system may call it otherwise than git does.
  const isUnseen = (path: string): boolean => !files.has(path) && isFile(lookAt(join(top, path)));
  if ([...tracked].some((path) => !isOwnState(path) && isUnseen(path))) return false;
  return (
    skipped.every((path) => ignored.has(path)) &&
    !entries.some(({ isRepository }) => isRepository) &&
    ![...tracked].some((path) => isInside(path, ignored))
  );
}

function isFile(stats: Stats | undefined): boolean {
  return stats !== undefined && !stats.isDirectory();
}

function isInside(path: string, folders: ReadonlySet<string>): boolean {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) if (folders.has(folder)) return true;
  return false;
}

/** What a file holds that git does not know makes no difference, and nothing does in a folder that it ignores. */
function withoutIgnored(
  { files, folders }: SeenTree,
  tracked: ReadonlySet<string>,
  ignored: ReadonlySet<string>,
): Pick<Known, 'files' | 'folders'> {
  const isRule = (path: string): boolean => basename(path).toLowerCase() === IGNORE_FILE;
  return {
    files: new Map([...files].filter(([path]) => tracked.has(path) || (isRule(path) && !isInside(path, ignored)))),
    folders: new Map([...folders].filter(([path]) => !ignored.has(path) && !isInside(path, ignored))),
  };
}

/** Whether all is still as it was seen. */
function stands(top: string, { own, files, folders }: Known): boolean {
  for (const [path, known] of own) if (!isSame(path, known, lookThrough(path))) return false;
  for (const [path, known] of folders) if (!hasSameNames(join(top, path), known)) return false;
  for (const [path, known] of files) if (!isSame(join(top, path), known, lookAt(join(top, path)))) return false;
  return true;
}

function isSame(path: string, known: FileMark, stats: Stats | undefined): boolean {
  if (known.look !== (stats === undefined ? '' : toVersion(stats))) return false;
  if (known.content === null || stats === undefined) return true;
  const isOld = isSettled(stats);
  if (readContent(path, stats) !== known.content) return false;
  if (isOld) known.content = null;
  return true;
}

function hasSameNames(path: string, known: FolderMark): boolean {
  const stats = lookAt(path);
  if (stats === undefined) return false;
  if (known.look !== null && known.look === toVersion(stats)) return true;
  const now = markFolder(path);
  if (now === null || now.mark.names !== known.names) return false;
  known.look = now.mark.look;
  return true;
}
