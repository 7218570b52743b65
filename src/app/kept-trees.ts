import { join } from 'node:path';
import type { SentStep, SentTree } from '../fleet/index.ts';
import { demandGit, type Repository } from '../git/index.ts';
import type { Blobs } from '../ports/fleet.ts';
import { type FileChanges, isObjectId, storeSteps } from '../workspace/bundle/index.ts';
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
  const there = await storeTrees(blobs, repository, { trees, ids: new Set(wanted.values()) }, scratch);
  const had = [...wanted].filter(([, tree]) => there.has(tree));
  await nameTrees(repository, runId, new Map(had));
  return [...wanted.keys()].filter((name) => !there.has(wanted.get(name) ?? ''));
}

/** Which of the trees that were sent are wanted, by their object ids. */
interface WantedTrees {
  readonly trees: readonly SentTree[];
  readonly ids: ReadonlySet<string>;
}

/**
 * Stores trees that were sent, without names. Those that cannot be had are left out.
 *
 * @returns ids of trees that are in the repository then
 * @throws GitProblem, the system error
 */
export async function storeTrees(
  blobs: Blobs,
  repository: Repository,
  { trees, ids }: WantedTrees,
  scratch: string,
): Promise<ReadonlySet<string>> {
  // Of trees that begin with the same whole one, the last has the steps of all.
  const chains = new Map(trees.map((tree) => [tree.work.commit, tree]));
  const there = await listThere(repository, [...ids, ...[...chains.values()].flatMap(({ steps }) => steps.map(({ to }) => to))]);
  for (const chain of chains.values()) await storeChain(blobs, repository, chain, { ids, there, scratch });
  return there;
}

interface Wanted {
  readonly ids: ReadonlySet<string>;
  /** Those that are in the repository: more and more of them. */
  readonly there: Set<string>;
  readonly scratch: string;
}

/** Of files in steps that are stored at once. */
const MAX_BATCH_BYTES = 64 << 20;

/** Stores trees step by step, up to the last one that is wanted. What comes behind one that cannot be had cannot be had either. */
async function storeChain(blobs: Blobs, repository: Repository, chain: SentTree, { ids, there, scratch }: Wanted): Promise<void> {
  const { work, steps } = chain;
  const isLacking = ({ to }: Pick<SentStep, 'to'>): boolean => ids.has(to) && !there.has(to);
  const last = steps.findLastIndex(isLacking);
  if (last < 0 && !isLacking({ to: work.tree })) return;
  try {
    await fetchWhole(blobs, repository, chain, scratch);
    if (await hasObject(repository, work.tree, 'tree')) there.add(work.tree);
    for (let next = steps.findIndex(isLacking); next >= 0 && next <= last; ) {
      const base = steps[next - 1]?.to ?? work.commit;
      const batch = await fetchBatch(blobs, steps.slice(next, last + 1));
      await storeSteps(repository, base, batch, join(scratch, 'ralph.steps'));
      next += batch.length;
    }
  } catch {
    // A view of the past is lost, not the work.
  }
  for (const id of await listThere(
    repository,
    steps.map(({ to }) => to),
  ))
    there.add(id);
}

/** The changes of the first of these steps: as many as may be in memory at once. */
async function fetchBatch(blobs: Blobs, steps: readonly SentStep[]): Promise<readonly FileChanges[]> {
  const batch: FileChanges[] = [];
  let bytes = 0;
  for (const { body } of steps) {
    if (bytes > MAX_BATCH_BYTES) break;
    // What comes before one that is forgotten can be had.
    const changes = await fetchChanges(blobs, body).catch(() => null);
    if (changes === null && batch.length > 0) break;
    if (changes === null) throw new Error('a step is forgotten');
    batch.push(changes);
    for (const state of changes.values()) bytes += state?.bytes.length ?? 0;
  }
  return batch;
}

async function listThere({ git }: Repository, ids: readonly string[]): Promise<Set<string>> {
  const input = ids.filter(isObjectId).map((id) => `${id}\n`);
  const lines = (await demandGit(git, ['cat-file', '--batch-check'], { input: input.join('') })).split('\n');
  return new Set(lines.flatMap((line) => /^([0-9a-f]{40,64}) tree /.exec(line)?.[1] ?? []));
}
