import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MAX_KEPT_CHANGES, type ScopeViolations, toErrorCode } from '../core/index.ts';
import { compareTrees, type TreeChange } from './compare-trees.ts';
import { findRepository, type Repository, type RepositorySearch, type RepositorySettings } from './find-repository.ts';
import { keepCopies, readIndexLook, restoreTree } from './restore-tree.ts';
import { copyIndex, MAX_IGNORED, type RecordOrder, recordTree, type TreeRecord } from './tree-record.ts';
import { walkFiles } from './walk-files.ts';

/** Where and how a tree is watched. */
export interface TreeWatchSettings extends RepositorySettings {
  /** Absolute path of a folder of the run, for an index and copies of ours. It is made when needed. */
  readonly scratchDir: string;
  /** Whether changes are taken back. */
  readonly reverts: boolean;
}

/** A tree that is being watched. */
export interface TreeLook {
  /**
   * What changed since; `null` for nothing. Never rejects.
   *
   * @param showDiff is called before anything is taken back: writes the difference where a person finds it, and gives the name of the file
   */
  readonly end: (showDiff: () => Promise<string | null>) => Promise<ScopeViolations | null>;
}

/** Tells what a hat that may not write has written. */
export interface TreeWatch {
  /**
   * Looks at the tree as it is now. Never rejects.
   *
   * @param exempt folders, relative to the folder of the run, whose changes do not count
   */
  readonly begin: (exempt: readonly string[]) => Promise<TreeLook>;
}

/** A watch over the folder of a run: one `git status` before a turn and one behind it; outside git a bounded walk. */
export function createTreeWatch(settings: TreeWatchSettings): TreeWatch {
  const versions: RecordOrder['versions'] = new Map();
  let search: Promise<RepositorySearch> | undefined;
  return {
    begin: async (exempt) => {
      try {
        search ??= findRepository(settings);
        const found = await search;
        return found.found ? await beginInGit(settings, found.repository, versions, exempt) : beginOutside(settings, exempt);
      } catch (error) {
        return toBlind(error);
      }
    },
  };
}

async function beginInGit(
  settings: TreeWatchSettings,
  repository: Repository,
  versions: RecordOrder['versions'],
  exempt: readonly string[],
): Promise<TreeLook> {
  const order: RecordOrder = {
    repository,
    commonDir: readCommonDir(repository.gitDir),
    indexFile: join(settings.scratchDir, 'watch.index'),
    isExempt: toExemption(exempt.map((path) => `${repository.prefix}${path}`)),
    versions,
  };
  copyIndex(repository.gitDir, order.indexFile);
  const before = await recordTree(order);
  const copies = settings.reverts ? keepCopies(before, repository.top, join(settings.scratchDir, 'copies')) : new Map();
  const index = readIndexLook(repository.gitDir);
  return {
    end: async (showDiff) => {
      try {
        const after = await recordTree(order, before.ignoredRoots);
        const isIndexSame = index === readIndexLook(repository.gitDir) || (await isStagedSame(order));
        const changes = [...compareTrees(before, after), ...(isIndexSame ? [] : [toIndexChange(readIndexLook(repository.gitDir))])];
        const limits = after.isIgnoredWhole && before.isIgnoredWhole ? [] : [IGNORED_NOTE];
        if (changes.length === 0) return null;
        const diffFile = await showDiff().catch(() => null);
        const restored = settings.reverts ? await restoreTree(changes, { order, before, after, copies }) : null;
        rmSync(join(settings.scratchDir, 'copies'), { recursive: true, force: true });
        return toViolations(changes, diffFile, restored?.count ?? null, [...limits, ...(restored?.notes ?? [])]);
      } catch (error) {
        return toUnseen(error);
      }
    },
  };
}

const IGNORED_NOTE = `Git ignores more than ${MAX_IGNORED} files here: the rest of them was not looked at.`;

function toIndexChange(after: string): TreeChange {
  return { path: '.git/index', what: 'index', in: 'index', before: '', after };
}

function toViolations(
  changes: readonly TreeChange[],
  diffFile: string | null,
  reverted: number | null,
  notes: readonly string[],
): ScopeViolations {
  const shown = changes.slice(0, MAX_KEPT_CHANGES).map(({ path, what }) => ({ path, what }));
  return { changes: shown, total: changes.length, diffFile, reverted, notes: notes.slice(0, MAX_KEPT_CHANGES) };
}

/** Where nothing could be seen, nothing is said of changes; that nobody looked is. */
function toUnseen(error: unknown): ScopeViolations {
  const message = error instanceof Error ? error.message : toErrorCode(error);
  return { changes: [], total: 0, diffFile: null, reverted: null, notes: [`The working tree could not be compared: ${message}`] };
}

function toBlind(error: unknown): TreeLook {
  return { end: async () => toUnseen(error) };
}

function toExemption(folders: readonly string[]): (path: string) => boolean {
  return (path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** A worktree says in a file where the rest of its repository is. */
function readCommonDir(gitDir: string): string {
  try {
    return resolve(gitDir, readFileSync(join(gitDir, 'commondir'), 'utf8').trim());
  } catch {
    return gitDir;
  }
}

/** Git writes its index also where somebody only looked: what is staged, and the marks beside it, tell. */
async function isStagedSame({ repository, indexFile }: RecordOrder): Promise<boolean> {
  const args = ['ls-files', '--stage', '-v', '-z'];
  const [own, real] = await Promise.all([repository.git(args, { indexFile }), repository.git(args)]);
  return own.ok && real.ok && own.stdout === real.stdout;
}

/** Outside git the files themselves are looked at, as far as that goes. */
function beginOutside({ cwd, stateDirs, reverts }: TreeWatchSettings, exempt: readonly string[]): TreeLook {
  const isExempt = toExemption([...stateDirs, ...exempt]);
  const look = (): Pick<TreeRecord, 'ignored' | 'ignoredRoots' | 'isIgnoredWhole'> => {
    const { files, isWhole } = walkFiles(cwd, [''], MAX_IGNORED, (path) => path !== '' && isExempt(path));
    return { ignored: files, ignoredRoots: [], isIgnoredWhole: isWhole };
  };
  const empty = { dirty: new Map(), refs: new Map(), guarded: new Map() };
  const before = { ...empty, ...look() };
  return {
    end: async () => {
      const after = { ...empty, ...look() };
      const changes = compareTrees(before, after);
      const partly = before.isIgnoredWhole && after.isIgnoredWhole ? [] : [`Only the first ${MAX_IGNORED} files were looked at.`];
      const notes = [...partly, ...(reverts ? ['Outside a git repository nothing can be taken back.'] : [])];
      return changes.length === 0 ? null : toViolations(changes, null, null, notes);
    },
  };
}
