import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './find-repository.ts';
import { demandGit } from './git.ts';
import type { GitStatus } from './parse-status.ts';
import { toTreeChange } from './plan-checkpoint.ts';
import { changeIndex, readTree, writeTree } from './write-tree.ts';

/** Before or after a turn. */
export type SnapshotMoment = 'before' | 'after';

/** Keeps what the working tree was like around each turn of a run. */
export interface SnapshotKeeper {
  /**
   * Stores the working tree (tracked and untracked files, not the ignored ones) as a tree object; its id.
   *
   * @throws GitProblem, or the system error when the index of ours cannot be made.
   */
  keep(turn: string, moment: SnapshotMoment, status: GitStatus, fingerprint: string | null): Promise<string>;
  /** Waits for what is still being written. Never rejects. */
  settle(): Promise<void>;
}

const namePattern = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The names under which a run's trees are kept; undefined for a run or turn whose name is none for git. */
export function toSnapshotRef(runId: string, turn?: string, moment?: SnapshotMoment): string | undefined {
  const parts = [runId, ...(turn === undefined ? [] : [turn])];
  if (!parts.every((part) => namePattern.test(part) && !part.endsWith('.lock'))) return undefined;
  return ['refs/ralph', ...parts, ...(moment === undefined ? [] : [moment])].join('/');
}

/** A lost snapshot costs a view of the past, not the work: it need not wait for the disk. */
const unsynced = ['-c', 'core.fsync=none'];

/**
 * Snapshots are private refs to trees, `refs/ralph/<run>/<turn>/before` and `…/after`. They are no branches or tags: `git push`, `git
 * fetch`, `git log --all` and pictures of the history pass them over (only `git push --mirror` would send them).
 *
 * One index file serves the whole run, so that only files that changed since the last snapshot are read; where nothing changed,
 * nothing is read at all.
 */
export function createSnapshotKeeper(repository: Repository, runId: string, scratchDir: string): SnapshotKeeper {
  const { git } = repository;
  const index = { indexFile: join(scratchDir, 'snapshot.index') };
  const pending = new Set<Promise<unknown>>();
  let last: { readonly fingerprint: string | null; readonly tree: string } | undefined;
  let shown: { readonly head: string | null; readonly paths: ReadonlySet<string> } | undefined;

  async function storeTree(status: GitStatus): Promise<string> {
    const change = toTreeChange(status.entries.filter((entry) => !entry.isRepository));
    const paths = new Set([...change.write, ...change.remove]);
    const isGrown = shown?.head === status.head && [...shown.paths].every((path) => paths.has(path));
    // A file that no longer differs from the commit must go back to it.
    if (!isGrown) await startAnew(status.head);
    shown = undefined;
    await changeIndex(git, change, index);
    const tree = await writeTree(git, index);
    shown = { head: status.head, paths };
    return tree;
  }

  async function startAnew(head: string | null): Promise<void> {
    mkdirSync(scratchDir, { recursive: true });
    // A run has one writer: this lock was left by a git that was killed.
    rmSync(`${index.indexFile}.lock`, { force: true });
    await readTree(git, index, head);
  }

  return {
    async keep(turn, moment, status, fingerprint) {
      const isKnown = last !== undefined && fingerprint !== null && last.fingerprint === fingerprint;
      const tree = isKnown && last ? last.tree : await storeTree(status);
      last = { fingerprint, tree };
      const ref = toSnapshotRef(runId, turn, moment);
      if (ref === undefined) return tree;
      // The name is written while the agent already works.
      const naming = git([...unsynced, 'update-ref', ref, tree]).finally(() => pending.delete(naming));
      pending.add(naming);
      return tree;
    },
    async settle() {
      await Promise.all(pending);
    },
  };
}

/** The longest patch that is shown whole. */
const longestPatch = 8 << 20;

/**
 * What a turn changed, as a patch for a person to read (binary files are named only); empty for no change.
 *
 * @returns null when the turn has not both snapshots.
 */
export async function diffSnapshots(repository: Repository, runId: string, turn: string): Promise<string | null> {
  const before = toSnapshotRef(runId, turn, 'before');
  const after = toSnapshotRef(runId, turn, 'after');
  if (before === undefined || after === undefined) return null;
  const result = await repository.git(['diff-tree', '-r', '-p', '-M', '--no-ext-diff', '--no-textconv', before, after]);
  if (!result.ok) return null;
  if (result.stdout.length <= longestPatch) return result.stdout;
  return `${result.stdout.slice(0, longestPatch)}\n[patch cut here: it is ${result.stdout.length} characters long]\n`;
}

/** Takes back the names of a run's snapshots; git's own clean-up removes what they kept. The number of names. */
export async function dropSnapshots(repository: Repository, runId: string): Promise<number> {
  const folder = toSnapshotRef(runId);
  if (folder === undefined) return 0;
  const listed = await demandGit(repository.git, ['for-each-ref', '--format=%(refname)', `${folder}/`]);
  const names = listed.split('\n').filter((name) => name !== '');
  const input = names.map((name) => `delete ${name}\n`).join('');
  if (names.length > 0) await demandGit(repository.git, ['update-ref', '--stdin'], { input });
  return names.length;
}
