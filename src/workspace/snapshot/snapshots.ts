import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../core/values/environment.ts';
import type { GitStatus, Repository, StatusEntry } from '../../git/contract.ts';
import { GitProblem } from '../../git/git.ts';
import { changeIndex, readTree, toIndexChange, writeTree } from '../../git/trees.ts';
import { readFileSize } from './file-version.ts';
import { createTreeNames, type SnapshotMoment, toSnapshotRef } from './tree-names.ts';
import { createTreeWriter } from './tree-writer.ts';

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
