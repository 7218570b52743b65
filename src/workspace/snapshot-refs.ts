import type { Repository } from './find-repository.ts';
import { demandGit } from './git.ts';

/** Before or after a turn. */
export type SnapshotMoment = 'before' | 'after';

const namePattern = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The names under which a run's trees are kept; undefined for a run or turn whose name is none for git. */
export function toSnapshotRef(runId: string, turn?: string, moment?: SnapshotMoment): string | undefined {
  const parts = [runId, ...(turn === undefined ? [] : [turn])];
  if (!parts.every((part) => namePattern.test(part) && !part.endsWith('.lock'))) return undefined;
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
    const before = trees.get(`${turn}/before`);
    const after = trees.get(`${turn}/after`);
    if (isLost && before !== undefined) {
      if (last === undefined) return null;
      pairs.push(`${last} ${before}\n`);
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

/** Git writes each pair of trees on a line, then each name with a zero byte behind it. */
function toNames(output: string): readonly string[] {
  const names = output.split('\0').map((name) => name.replace(/^(?:[0-9a-f]{40,64} [0-9a-f]{40,64}\n)+/, ''));
  return [...new Set(names)].filter((name) => name !== '').sort();
}

/** By turn and moment, such as `7.1/before`. */
export async function readTrees({ git }: Repository, runId: string): Promise<ReadonlyMap<string, string>> {
  const folder = toSnapshotRef(runId);
  const listed = folder === undefined ? null : await git(['for-each-ref', '--format=%(objectname) %(refname:lstrip=3)', `${folder}/`]);
  const lines = listed?.ok === true ? listed.stdout.split('\n').filter((line) => line !== '') : [];
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
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
