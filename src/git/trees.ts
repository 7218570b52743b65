import { setTimeout as sleep } from 'node:timers/promises';
import { ABSENT, type Git, type IndexChange, type OwnIndex, type StatusEntry, toTrackedVersion } from './contract.ts';
import { demandGit, GitProblem } from './git.ts';

/** Makes an index of ours show a commit; null: nothing at all. */
export async function readTree(git: Git, index: OwnIndex, head: string | null): Promise<void> {
  await demandGit(git, ['read-tree', head ?? '--empty'], index);
}

/** Stores the tree that an index of ours shows; its object id. */
export async function writeTree(git: Git, index: OwnIndex): Promise<string> {
  return (await demandGit(git, ['write-tree'], index)).trim();
}

/**
 * Makes an index show these paths as they are in the working tree, and touches no other entry. Removals go first and by name only: a
 * path may lie behind what has since become a symbolic link.
 *
 * @param index absent: the user's own.
 * @throws GitProblem; also for a file where the index has a folder, and the other way round: no entry is pushed out unasked. The
 * removals may then have been made.
 */
export async function changeIndex(git: Git, change: IndexChange, index?: OwnIndex): Promise<void> {
  if (change.remove.length > 0) {
    await demandGit(git, ['update-index', '--force-remove', '-z', '--stdin'], { ...index, input: toPathList(change.remove) });
  }
  if (change.write.length > 0) {
    await demandGit(git, ['update-index', '--add', '--remove', '-z', '--stdin'], { ...index, input: toPathList(change.write) });
  }
}

/** Paths as git reads them with `-z --stdin`. */
export function toPathList(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('');
}

/** What a path is in each of two trees: `<mode> <object id>`, or {@link ABSENT}. */
export interface TreeDifference {
  readonly path: string;
  readonly left: string;
  readonly right: string;
}

const SUBMODULE = '160000 ';

/**
 * What differs between two trees, renamed files as two paths.
 *
 * @throws GitProblem
 */
export async function listDifferences(git: Git, left: string, right: string): Promise<readonly TreeDifference[]> {
  const parts = (await demandGit(git, ['diff-tree', '-r', '-z', '--no-renames', left, right])).split('\0');
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => {
    // :<mode> <mode> <id> <id> <letter>
    const [leftMode = '', rightMode = '', leftId = '', rightId = ''] = (parts[index * 2] ?? '').slice(1).split(' ');
    return { path: parts[index * 2 + 1] ?? '', left: toTrackedVersion(leftMode, leftId), right: toTrackedVersion(rightMode, rightId) };
  });
}

/** Whether an entry stands for another repository inside this one. */
export function isSubmodule(entry: string): boolean {
  return entry.startsWith(SUBMODULE);
}

interface CommitOrder {
  readonly tree: string;
  /** Null: a first commit. */
  readonly parent: string | null;
  /** Of a merge: the commit that is merged. */
  readonly merged?: string;
  readonly subject: string;
  readonly runId: string;
}

/** Who commits where the user never told git a name. */
export const FALLBACK_IDENTITY = {
  GIT_AUTHOR_NAME: 'Ralph',
  GIT_AUTHOR_EMAIL: 'ralph@localhost',
  GIT_COMMITTER_NAME: 'Ralph',
  GIT_COMMITTER_EMAIL: 'ralph@localhost',
};

/**
 * Makes a commit object that no branch shows yet; its object id. It bears the user's name where git was told one: a name that git
 * would only guess from the account and the host does not count.
 *
 * @throws GitProblem
 */
export async function commitTree(git: Git, order: CommitOrder): Promise<string> {
  const parent = [order.parent, order.merged].flatMap((commit) => (commit === null || commit === undefined ? [] : ['-p', commit]));
  const args = ['commit-tree', ...parent, '-m', order.subject, '-m', `Ralph-Run: ${order.runId}`, order.tree];
  const first = await git(args, { config: ['user.useConfigOnly=true'] });
  const id = first.ok ? first.stdout : await demandGit(git, args, { env: FALLBACK_IDENTITY });
  return id.trim();
}

/**
 * What has to be done to the last commit's tree so that it shows the working tree. A file that was taken out of the index but is
 * still there has two entries: it is there.
 */
export function toIndexChange(entries: readonly StatusEntry[]): IndexChange {
  const write = new Set<string>();
  const remove = new Set<string>();
  for (const entry of entries) {
    (isGone(entry) ? remove : write).add(entry.path);
  }
  return { write: [...write], remove: [...remove].filter((path) => !write.has(path)) };
}

/** Of a conflict, the letters say what both sides did, not whether the file is there. */
function isGone(entry: StatusEntry): boolean {
  if (entry.kind === 'unmerged') return false;
  return entry.unstaged === 'D' || (entry.staged === 'D' && entry.unstaged === '.');
}

/** Another git command holds the index for milliseconds; a lock that stays longer was left by a dead one. */
const LOCK_TRIES = 5;
const LOCK_WAIT_MS = 60;

/** Changes the user's index, again where another git holds it just then. Throws what the change throws. */
export async function whileUnlocked(change: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await change();
      return;
    } catch (error) {
      const isLocked = error instanceof GitProblem && error.message.includes('index.lock');
      if (!isLocked || attempt === LOCK_TRIES) throw error;
      await sleep(LOCK_WAIT_MS);
    }
  }
}

export interface IndexEntry {
  /** A letter for how git treats the file: lower case where it takes it for unchanged, `S` where it passes it over. */
  readonly tag: string;
  readonly mode: string;
  readonly id: string;
  /** `0`; of a file in conflict `1` for the base, `2` and `3` for the two sides. */
  readonly stage: string;
  readonly path: string;
}

/**
 * Lists the entries of an index.
 *
 * @param question `index`: one of ours instead of the user's. `isUnmerged`: only files in conflict.
 * @throws GitProblem
 */
export async function listIndex(
  git: Git,
  { index, isUnmerged = false }: { readonly index?: OwnIndex; readonly isUnmerged?: boolean } = {},
): Promise<readonly IndexEntry[]> {
  const text = await demandGit(git, ['ls-files', '--stage', '-v', '-z', ...(isUnmerged ? ['--unmerged'] : [])], index);
  return text.split('\0').flatMap(parseIndexEntry);
}

/** `<tag> <mode> <object id> <stage>`, a tab, the path. */
function parseIndexEntry(record: string): readonly IndexEntry[] {
  const [, tag = '', mode = '', id = '', stage = '', path] = /^(\S) (\d{6}) ([0-9a-f]+) (\d)\t(.+)$/s.exec(record) ?? [];
  return path === undefined ? [] : [{ tag, mode, id, stage, path }];
}

/**
 * Of these object ids, those of trees that are in the repository.
 *
 * @throws GitProblem
 */
export async function listTrees({ git }: { readonly git: Git }, ids: readonly string[]): Promise<Set<string>> {
  const input = ids.filter((id) => /^[0-9a-f]{40,64}$/.test(id)).map((id) => `${id}\n`);
  const lines = (await demandGit(git, ['cat-file', '--batch-check'], { input: input.join('') })).split('\n');
  return new Set(lines.flatMap((line) => /^([0-9a-f]{40,64}) tree /.exec(line)?.[1] ?? []));
}
