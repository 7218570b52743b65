import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ScopeChange } from '../../core/tools/scope-violations.ts';
import { tryOr } from '../../core/values/result.ts';
import { ABSENT, type Repository, type RepositorySettings, type StatusEntry } from '../../git/contract.ts';
import { decodeNames, encodeNames, toLook } from '../../git/file-names.ts';
import { demandGit } from '../../git/git.ts';
import { readStatus } from '../../git/status.ts';
import { readFileVersion } from '../snapshot/file-version.ts';
import { type GuardedFile, isLock, readGuarded } from './git-files.ts';

/** Of files that git ignores so many are looked at. */
export const MAX_IGNORED = 10_000;
/** Files of other sizes are told apart by size and time. */
const MAX_HASHED = 16 << 20;

/** What a working tree is like at one moment, as far as a change of it would show. */
export interface TreeRecord {
  /** Files that are not as in the index, by path. Everything else is as in the index, or not there. */
  readonly dirty: ReadonlyMap<string, DirtyVersion>;
  /** Files that git ignores, by path: how they look from outside. */
  readonly ignored: ReadonlyMap<string, string>;
  readonly isIgnoredWhole: boolean;
  /** The ignored paths as git names them: a folder that a pattern means is one. */
  readonly ignoredRoots: readonly string[];
  readonly refs: ReadonlyMap<string, string>;
  readonly guarded: ReadonlyMap<string, GuardedFile>;
  /** Files of the repositories in this one, by path: how they look from outside. */
  readonly nested: ReadonlyMap<string, string>;
  readonly isNestedWhole: boolean;
  readonly nestedRoots: readonly string[];
}

/** The version of a repository in this one that is not as the index has it; its files are told apart one by one. */
export const REPOSITORY = 'repository';

interface DirtyVersion {
  /** Its content, or {@link ABSENT}. */
  readonly version: string;
  /** Whether the index knows it. */
  readonly isTracked: boolean;
}

export interface RecordOrder {
  readonly repository: Repository;
  /** What stands for `.git` of all worktrees. */
  readonly commonDir: string;
  /** An index that nobody else can write, in which the moment before the turn is kept. */
  readonly indexFile: string;
  /** The same without the marks by which git passes over files: the tree is compared with this one. */
  readonly lookFile: string;
  /** The submodules that the index names. */
  readonly submodules: readonly string[];
  /** Names of refs that begin so are looked at although they begin with `refs/ralph/`. */
  readonly ownRefs: string | null;
  /** Paths (from the top) that do not count. */
  readonly isExempt: (path: string) => boolean;
  /** Contents by how a file looked when it was read, so that nothing is read twice. */
  readonly versions: Map<string, { readonly look: string; readonly version: string }>;
}

/** A person may have told git to look less closely. */
const CLOSELY = ['core.trustctime=true', 'core.checkStat=default', ...(process.platform === 'win32' ? [] : ['core.fileMode=true'])];
const REFS = ['for-each-ref', '--format=%(refname) %(objectname) %(symref)'];

/**
 * Records a tree by one `git status` and a look at what it names.
 *
 * @param earlier what an earlier record named: ignored paths that git will probably name again, and repositories that stay such whatever became of them
 * @throws GitProblem
 */
export async function recordTree(
  order: RecordOrder,
  earlier: Pick<TreeRecord, 'ignoredRoots' | 'nestedRoots'> = NOTHING,
): Promise<TreeRecord> {
  const { repository, lookFile } = order;
  const expected = earlier.ignoredRoots;
  const answers = Promise.all([
    // Of submodules only the commit is asked for: git would run in them what their own configuration names. Their files are walked.
    readStatus(repository, { withIgnored: true, index: { indexFile: lookFile }, config: CLOSELY }),
    demandGit(repository.git, REFS),
  ]);
  const isOwn = (path: string): boolean => repository.isOwnState(path) || order.isExempt(path);
  const early = lookAtFiles(repository.top, expected, MAX_IGNORED, isOwn);
  const [status, refs] = await answers;
  const entries = status.entries.filter((entry) => !order.isExempt(entry.path));
  const roots = entries.filter((entry) => entry.kind === 'ignored').map((entry) => entry.path);
  const isExpected = roots.length === expected.length && roots.every((path, index) => path === expected[index]);
  const ignored = isExpected ? early : lookAtFiles(repository.top, roots, MAX_IGNORED, isOwn);
  const inner = entries.filter((entry) => entry.isRepository && entry.kind !== 'ignored').map(({ path }) => path.replace(/\/$/, ''));
  const nestedRoots = [...new Set([...order.submodules, ...earlier.nestedRoots, ...inner])].sort();
  const nested = lookAtFiles(repository.top, nestedRoots, MAX_IGNORED, isOwn);
  const dirty = entries.filter(
    (entry) => isDirty(entry) && !nestedRoots.some((root) => entry.path.startsWith(`${root}/`) && entry.path !== `${root}/`),
  );
  return {
    dirty: new Map(dirty.map((entry) => toVersion(entry, order))),
    ignored: ignored.files,
    isIgnoredWhole: ignored.isWhole,
    refs: toRefs(refs, order.ownRefs),
    guarded: readGuarded({ ...repository, commonDir: order.commonDir }, nestedRoots),
    ignoredRoots: roots,
    nested: nested.files,
    isNestedWhole: nested.isWhole,
    nestedRoots,
  };
}

/** Against the index, not against the last commit: that may have been moved. */
function isDirty(entry: StatusEntry): boolean {
  return entry.kind !== 'ignored' && entry.unstaged !== '.';
}

function toVersion(entry: StatusEntry, order: RecordOrder): readonly [path: string, version: DirtyVersion] {
  const version = entry.isRepository ? REPOSITORY : readVersion(entry.path, order);
  return [entry.path, { version, isTracked: entry.kind !== 'untracked' }];
}

const NOTHING = { ignoredRoots: [], nestedRoots: [] };

/** The content of a file now, read only if it looks different from the last time. */
export function readVersion(path: string, { repository, versions }: Pick<RecordOrder, 'repository' | 'versions'>): string {
  const file = join(repository.top, path);
  const look = toLook(file);
  if (look === null) return ABSENT;
  const known = versions.get(path);
  if (known?.look === look) return known.version;
  const version = readFileVersion(file, null, MAX_HASHED);
  versions.set(path, { look, version });
  return version;
}

function toRefs(text: string, own: string | null): ReadonlyMap<string, string> {
  const lines = text
    .split('\n')
    .filter((line) => line !== '' && (!line.startsWith('refs/ralph/') || (own !== null && line.startsWith(own))));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]));
}

interface FileLooks {
  /** By path from the top: mode, size, times, number of the file. */
  readonly files: ReadonlyMap<string, string>;
  /** Whether everything was looked at. */
  readonly isWhole: boolean;
}

/**
 * Looks at files and at what is in folders, in a fixed order and up to a number of entries. Links are not followed. Never throws.
 *
 * @param paths relative to the top; folders end in `/` or are found to be some
 * @param isExempt paths that do not count, folders with what is in them
 */
function lookAtFiles(top: string, paths: readonly string[], maxEntries: number, isExempt: (path: string) => boolean): FileLooks {
  const files = new Map<string, string>();
  const waiting = paths.map((path) => path.replace(/\/$/, '')).reverse();
  let left = maxEntries;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (isExempt(path)) continue;
    left -= 1;
    if (left < 0) return { files, isWhole: false };
    const look = toLook(join(top, path));
    if (look === 'folder') waiting.push(...listFolder(top, path).reverse());
    else if (look !== null) files.set(path, look);
  }
  return { files, isWhole: true };
}

function listFolder(top: string, folder: string): string[] {
  return tryOr(
    () =>
      readdirSync(encodeNames(join(top, folder)), 'buffer')
        .map(decodeNames)
        .filter((name) => name !== '.git')
        .sort()
        .map((name) => (folder === '' ? name : `${folder}/${name}`)),
    [],
  );
}

/** Outside git the files themselves are looked at, as far as that goes. */
export function recordPlainly({ cwd, stateDirs }: Pick<RepositorySettings, 'cwd' | 'stateDirs'>, exempt: readonly string[]): TreeRecord {
  const isExempt = toExemption([...stateDirs, ...exempt]);
  const { files, isWhole } = lookAtFiles(cwd, [''], MAX_IGNORED, (path) => path !== '' && isExempt(path));
  const nothing = { dirty: new Map(), refs: new Map(), guarded: new Map(), nested: new Map(), isNestedWhole: true, nestedRoots: [] };
  return { ...nothing, ignored: files, ignoredRoots: [], isIgnoredWhole: isWhole };
}

/** Says of a path whether it is one of these folders or in one. */
export function toExemption(folders: readonly string[]): (path: string) => boolean {
  return (path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Stands for the content that the index has. */
export const AS_IN_INDEX = 'index';

/** One change, with what it takes to see whether it still stands. */
export interface TreeChange extends ScopeChange {
  /** Where it was found. `dirty`: a file that git looks at; `nested`: one of a repository in this one. */
  readonly in: 'dirty' | 'ignored' | 'nested' | 'refs' | 'guarded' | 'index';
  /** What was there before, and what is there now: a version, {@link ABSENT}, or (`dirty`) {@link AS_IN_INDEX}. */
  readonly before: string;
  readonly after: string;
}

/** What differs between two records of a tree, in the order of the paths. Pure. */
export function compareTrees(before: TreeRecord, after: TreeRecord): readonly TreeChange[] {
  const isIgnoredWhole = before.isIgnoredWhole && after.isIgnoredWhole;
  const isNestedWhole = before.isNestedWhole && after.isNestedWhole;
  return [
    ...compareDirty(before.dirty, after.dirty),
    ...withoutUnreached(compareMaps(before.ignored, after.ignored, 'ignored'), isIgnoredWhole),
    ...withoutUnreached(compareMaps(before.nested, after.nested, 'nested'), isNestedWhole),
    ...compareMaps(before.refs, after.refs, 'refs').map((change) => ({ ...change, what: 'ref' as const })),
    ...compareGuarded(before.guarded, after.guarded),
  ];
}

/** What differs in git's own files. A lock that is gone was somebody's who has finished; one that appeared is a change. */
export function compareGuarded(before: TreeRecord['guarded'], after: TreeRecord['guarded']): readonly TreeChange[] {
  return compareMaps(toVersions(before), toVersions(after), 'guarded')
    .filter(({ path, before: was }) => was === ABSENT || !isLock(path))
    .map((change) => ({ ...change, what: 'git' as const }));
}

/** Where one of them was not looked at to its end, a file that only one knows may be one that the other did not reach. */
function withoutUnreached(changes: readonly TreeChange[], isWhole: boolean): readonly TreeChange[] {
  return isWhole ? changes : changes.filter((change) => change.before !== ABSENT && change.after !== ABSENT);
}

function compareDirty(before: ReadonlyMap<string, DirtyVersion>, after: ReadonlyMap<string, DirtyVersion>): readonly TreeChange[] {
  const complete = (own: ReadonlyMap<string, DirtyVersion>, other: ReadonlyMap<string, DirtyVersion>): Map<string, string> => {
    const missing = [...other].filter(([path]) => !own.has(path));
    return new Map([
      ...[...own].map(([path, { version }]) => [path, version] as const),
      ...missing.map(([path, { isTracked }]) => [path, isTracked ? AS_IN_INDEX : ABSENT] as const),
    ]);
  };
  return compareMaps(complete(before, after), complete(after, before), 'dirty');
}

function compareMaps(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  where: TreeChange['in'],
): readonly TreeChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path) => {
    const [was, is] = [before.get(path) ?? ABSENT, after.get(path) ?? ABSENT];
    return was === is ? [] : [{ path, what: toWhat(was, is), in: where, before: was, after: is }];
  });
}

function toWhat(was: string, is: string): ScopeChange['what'] {
  if (is === ABSENT) return 'deleted';
  return was === ABSENT ? 'created' : 'changed';
}

function toVersions(guarded: TreeRecord['guarded']): ReadonlyMap<string, string> {
  return new Map([...guarded].map(([name, file]) => [name, file.version]));
}
