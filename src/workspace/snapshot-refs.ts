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
