import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../core/values/environment.ts';
import type { GitStatus, Repository, StatusEntry } from '../../git/contract.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { changeIndex, readTree, toIndexChange, writeTree } from '../../git/trees.ts';
import { readFileSize } from './file-version.ts';
import { createTreeNames, dropWaitingNames, readWaitingNames } from './tree-names.ts';
import { createTreeWriter } from './tree-writer.ts';

/**
 * Before or after the work of a turn. `opened`: when a turn began whose work comes into the folder at its end only, so that `before` is of later; what changed between
 * the two is not its work.
 */
export type SnapshotMoment = 'opened' | 'before' | 'after';

const NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The names under which a run's trees are kept; undefined for a run or turn whose name is none for git. */
export function toSnapshotRef(runId: string, turn?: string, moment?: SnapshotMoment): string | undefined {
  const parts = [runId, ...(turn === undefined ? [] : [turn])];
  if (!parts.every((part) => NAME.test(part) && !part.endsWith('.lock'))) return undefined;
  return ['refs/ralph', ...parts, ...(moment === undefined ? [] : [moment])].join('/');
}

/**
 * The files that these turns changed, in their order, sorted. A turn that was killed has no snapshot of its end: what is between the last one before it
 * and the first one after it counts as its work.
 *
 * @param turns names such as `7.1`, oldest first
 * @returns null when that is not known of each of them
 */
export async function listChangedFiles(repository: Repository, runId: string, turns: readonly string[]): Promise<readonly string[] | null> {
  const trees = await readTrees(repository, runId);
  const pairs: string[] = [];
  let last: string | undefined;
  let isLost = false;
  for (const turn of turns) {
    const before = readBefore(trees, turn);
    const after = trees.get(`${turn}/after`);
    const seen = before ?? after;
    // Its beginning is lost, or the end of the one before it: all from the last tree that is known counts.
    if (seen !== undefined && (isLost || before === undefined)) {
      if (last === undefined) return null;
      pairs.push(`${last} ${seen}\n`);
      isLost = false;
    }
    if (before !== undefined && after !== undefined) pairs.push(`${before} ${after}\n`);
    isLost ||= after === undefined;
    last = after ?? before ?? last;
  }
  if (isLost) return null;
  const result = await repository.git(['diff-tree', '-r', '-z', '--name-only', '--stdin'], { input: pairs.join('') });
  return result.ok ? toNames(result.stdout) : null;
}

/** The tree before the work of a turn; where it was killed before it had made any, that with which it began. */
export function readBefore(trees: ReadonlyMap<string, string>, turn: string): string | undefined {
  return trees.get(`${turn}/before`) ?? trees.get(`${turn}/opened`);
}

/** Git writes each pair of trees on a line, then each name with a zero byte behind it. */
function toNames(output: string): readonly string[] {
  const names = output.split('\0').map((name) => name.replace(/^(?:[0-9a-f]{40,64} [0-9a-f]{40,64}\n)+/, ''));
  return [...new Set(names)].filter((name) => name !== '').sort();
}

/** By turn and moment, such as `7.1/before`. */
export async function readTrees(repository: Repository, runId: string): Promise<ReadonlyMap<string, string>> {
  const folder = toSnapshotRef(runId);
  if (folder === undefined) return new Map();
  // First, for what waits meanwhile is told to git and then gone.
  const waiting = await readWaitingNames(repository, folder);
  const listed = await repository.git(['for-each-ref', '--format=%(objectname) %(refname:lstrip=3)', `${folder}/`]);
  const lines = listed.ok ? listed.stdout.split('\n').filter((line) => line !== '') : [];
  const known = lines.map((line): [string, string] => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]);
  return new Map([...known, ...[...waiting].map(([name, tree]): [string, string] => [name.slice(folder.length + 1), tree])]);
}

/** Gives trees the names of moments of a run, such as `7.1/before`, as if they had been taken here. One that is not there has none. Never rejects. */
export async function nameTrees(repository: Repository, runId: string, trees: ReadonlyMap<string, string>): Promise<void> {
  const folder = toSnapshotRef(runId);
  if (folder === undefined || trees.size === 0) return;
  const names = createTreeNames(repository, folder, () => undefined);
  names.add(new Map([...trees].map(([name, tree]) => [`${folder}/${name}`, tree])));
  await names.settle();
}

/** Takes back the names of a run's snapshots; git's own clean-up removes what they kept. The number of names. */
export async function dropSnapshots(repository: Repository, runId: string): Promise<number> {
  const folder = toSnapshotRef(runId);
  if (folder === undefined) return 0;
  dropWaitingNames(repository, folder);
  const listed = await demandGit(repository.git, ['for-each-ref', '--format=%(refname)', `${folder}/`]);
  const names = listed.split('\n').filter((name) => name !== '');
  const input = names.map((name) => `delete ${name}\n`).join('');
  if (names.length > 0) await demandGit(repository.git, ['update-ref', '--stdin'], { input });
  return names.length;
}

/** Keeps what the working tree was like around each turn of a run. */
export interface SnapshotKeeper {
  /**
   * Stores the working tree (tracked files, untracked ones up to 8 MB, no ignored ones) as a tree object; its id.
   *
   * @throws GitProblem, or the system error when the index of ours cannot be made.
   */
  keep(turn: string, moment: SnapshotMoment, status: GitStatus, fingerprint: string | null): Promise<string>;
  /** Stores it under no name. Throws what `keep` throws. */
  store(status: GitStatus, fingerprint: string | null): Promise<string>;
  /** Waits for what is still being written. Never rejects. */
  settle(): Promise<void>;
}

/** A larger file that git does not know is rather data than work. */
const MAX_UNTRACKED_BYTES = 8 << 20;
/** With more than this, storing it before every turn is no small thing any more. */
const MAX_TOTAL_BYTES = 256 << 20;
const MAX_FILES = 20_000;

/**
 * The entries that a snapshot shows.
 *
 * @throws GitProblem when they are too many or too large.
 */
export function selectEntries(status: GitStatus, top: string): StatusEntry[] {
  if (status.entries.length > MAX_FILES) throw new GitProblem('too many files differ from the last commit');
  let totalBytes = 0;
  const selected = status.entries.filter((entry) => {
    if (entry.isRepository) return false;
    const size = readFileSize(join(top, entry.path));
    const isTaken = entry.kind !== 'untracked' || size <= MAX_UNTRACKED_BYTES;
    if (isTaken) totalBytes += size;
    return isTaken;
  });
  if (totalBytes > MAX_TOTAL_BYTES) throw new GitProblem('the files that differ from the last commit are too large');
  return selected;
}

/**
 * Stores trees. Where git is needed for it, one index file serves the whole run, so that only files that changed since the last one are read.
 */
function createTreeStore(repository: Repository, scratchDir: string, env: Environment) {
  const { git } = repository;
  const index = { indexFile: join(scratchDir, 'snapshot.index') };
  const writer = createTreeWriter(repository, env);
  let shown: { readonly head: string | null; readonly paths: ReadonlySet<string> } | undefined;

  async function startAnew(head: string | null): Promise<void> {
    mkdirSync(scratchDir, { recursive: true });
    // A run has one writer: this lock was left by a git that was killed.
    rmSync(`${index.indexFile}.lock`, { force: true });
    await readTree(git, index, head);
  }

  return {
    store: async (status: GitStatus): Promise<string> => {
      const entries = selectEntries(status, repository.top);
      const written = await writer.write(status.head, entries);
      if (written !== null) return written;
      const change = toIndexChange(entries);
      const paths = new Set([...change.write, ...change.remove]);
      // A file that no longer differs from the commit must go back to it.
      if (shown?.head !== status.head || ![...shown.paths].every((path) => paths.has(path))) await startAnew(status.head);
      shown = undefined;
      await changeIndex(git, change, index);
      const tree = await writeTree(git, index);
      shown = { head: status.head, paths };
      return tree;
    },
    /** Objects may be gone. */
    forget: (): void => {
      shown = undefined;
      writer.forget();
    },
  };
}

/**
 * Snapshots are private refs to trees, `refs/ralph/<run>/<turn>/before`, `…/after` and `…/opened`. They are no branches or tags: `git push`, `git
 * fetch`, `git log --all` and pictures of the history pass them over (only `git push --mirror` would send them).
 *
 * Where nothing changed since the last one, nothing is read.
 */
export function createSnapshotKeeper(
  repository: Repository,
  { runId, scratchDir, env }: { readonly runId: string; readonly scratchDir: string; readonly env: Environment },
): SnapshotKeeper {
  const storeTree = createTreeStore(repository, scratchDir, env);
  const root = toSnapshotRef(runId);
  const kept =
    root === undefined
      ? null
      : createTreeNames(repository, root, () => {
          [last, held] = [undefined, undefined];
          storeTree.forget();
        });
  let last: { readonly fingerprint: string | null; readonly tree: string } | undefined;
  /** The names of the turn that is under way, with their trees: one that is looked at twice has the later one. */
  let names = new Map<string, string>();
  let opened: string | undefined;
  /** The tree that the last name is for. */
  let held: string | undefined;
  const store = async (status: GitStatus, fingerprint: string | null): Promise<string> => {
    const known = fingerprint !== null && last?.fingerprint === fingerprint ? last.tree : null;
    const tree = known ?? (await storeTree.store(status));
    last = { fingerprint, tree };
    return tree;
  };
  return {
    store,
    async keep(turn, moment, status, fingerprint) {
      const isFirst = held === undefined;
      const tree = await store(status, fingerprint);
      const ref = toSnapshotRef(runId, turn, moment);
      if (ref === undefined) return tree;
      const isTakingOver = moment === 'before' && turn === opened;
      if (moment === 'opened') opened = turn;
      if (moment !== 'after') names = new Map();
      names.set(ref, tree);
      // What was there before the first turn is in no other name, and what is about to come into the folder is the run's: neither is to be lost with a kill.
      const isHeld = tree === held && !isFirst;
      if (moment === 'after' || isFirst || (!isHeld && (moment === 'opened' || isTakingOver))) {
        held = tree;
        kept?.add(names);
        // What the run did not make nobody can make again.
        if (moment !== 'after') void kept?.settle();
      }
      return tree;
    },
    settle: async () => kept?.settle(),
  };
}
