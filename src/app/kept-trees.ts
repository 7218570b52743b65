import { join } from 'node:path';
import type { SentTree } from '../fleet/index.ts';
import { demandGit, type Repository } from '../git/index.ts';
import type { Blobs } from '../ports/fleet.ts';
import { isObjectId, storeChanges } from '../workspace/bundle/index.ts';
import { nameTrees, readTrees } from '../workspace/snapshot/index.ts';
import { fetchChanges, fetchWhole, hasObject } from './sent-work.ts';

/** What a fleet keeps of the trees around the turns of a run: see `KeptState`. */
export interface KeptTrees {
  readonly runId: string;
  readonly trees: readonly SentTree[];
  readonly snapshots: ReadonlyMap<string, string>;
}

/**
 * Puts the trees around turns into a repository, under the names that they have where the turns were taken: what shows a turn, or undoes it, then says the same here. What the
 * fleet keeps counts, for one process at a time had the run; a name that is here and says something else is of one that had lost it.
 *
 * @param scratch absolute path of a folder of ours
 * @returns the names whose trees cannot be had: forgotten, or filters of git make other ones of them here
 * @throws GitProblem, the system error
 */
export async function bringSnapshots(
  blobs: Blobs,
  repository: Repository,
  { runId, trees, snapshots }: KeptTrees,
  scratch: string,
): Promise<readonly string[]> {
  const known = await readTrees(repository, runId);
  const wanted = new Map([...snapshots].filter(([name, tree]) => known.get(name) !== tree));
  if (wanted.size === 0) return [];
  const ids = new Set(wanted.values());
  // Of trees that begin with the same whole one, the last has the steps of all.
  const chains = new Map(trees.map((tree) => [tree.work.commit, tree]));
  const there = await listThere(repository, [...ids, ...[...chains.values()].flatMap(({ steps }) => steps.map(({ to }) => to))]);
  for (const chain of chains.values()) await storeChain(blobs, repository, chain, { ids, there, scratch });
  const had = [...wanted].filter(([, tree]) => there.has(tree));
  await nameTrees(repository, runId, new Map(had));
  return [...wanted.keys()].filter((name) => !there.has(wanted.get(name) ?? ''));
}

interface Wanted {
  readonly ids: ReadonlySet<string>;
  /** Those that are in the repository: more and more of them. */
  readonly there: Set<string>;
  readonly scratch: string;
}

/** Stores trees step by step, up to the last one that is wanted. What comes behind one that cannot be had cannot be had either. */
async function storeChain(blobs: Blobs, repository: Repository, chain: SentTree, { ids, there, scratch }: Wanted): Promise<void> {
  const { work, steps } = chain;
  const isLacking = (id: string): boolean => ids.has(id) && !there.has(id);
  const last = steps.findLastIndex(({ to }) => isLacking(to));
  if (last < 0 && !isLacking(work.tree)) return;
  try {
    await fetchWhole(blobs, repository, chain, scratch);
    if (await hasObject(repository, work.tree, 'tree')) there.add(work.tree);
    let base = work.commit;
    for (const { to, body } of steps.slice(0, last + 1)) {
      base = there.has(to) ? to : await storeChanges(repository, base, await fetchChanges(blobs, body), join(scratch, 'ralph.steps'));
      there.add(base);
    }
  } catch {
    // A view of the past is lost, not the work.
  }
}

async function listThere({ git }: Repository, ids: readonly string[]): Promise<Set<string>> {
  const input = ids.filter(isObjectId).map((id) => `${id}\n`);
  const lines = (await demandGit(git, ['cat-file', '--batch-check'], { input: input.join('') })).split('\n');
  return new Set(lines.flatMap((line) => /^([0-9a-f]{40,64}) tree /.exec(line)?.[1] ?? []));
}
