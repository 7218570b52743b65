import { join } from 'node:path';
import type { Repository } from '../../git/contract.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { isAncestor } from '../../git/refs.ts';
import { commitTree, isSubmodule, listIndex } from '../../git/trees.ts';
import { readPlainFile } from './conflict-markers.ts';

export interface MergeOrder {
  readonly runId: string;
  /** The commit that is merged, and into which. */
  readonly source: string;
  readonly target: string;
  readonly isSquashed: boolean;
  /** First line of the new commit. */
  readonly subject: string;
}

export interface MergeConflict {
  readonly path: string;
  /** In words, where it is not two versions of the same lines. */
  readonly what: string;
  /** The places with both sides, as git marks them; the first of them. */
  readonly hunks: readonly string[];
}

export type MergeResult =
  | { readonly isMerged: true; readonly commit: string; readonly how: 'fast-forward' | 'merge' | 'squash' }
  | { readonly isMerged: false; readonly conflicts: readonly MergeConflict[] };

const PLAIN = ['merge.conflictStyle=merge', 'merge.autoStash=false', 'rerere.enabled=false', 'merge.renames=true'];

/**
 * Merges in a worktree of its own, whose HEAD is detached at the target; it is left at the new commit, or with the conflict.
 *
 * @throws GitProblem
 */
export async function mergeApart({ git, top }: Pick<Repository, 'git' | 'top'>, order: MergeOrder): Promise<MergeResult> {
  const { source, target, runId, subject } = order;
  const isAhead = await isAncestor(git, target, source);
  if (isAhead && !order.isSquashed) {
    await demandGit(git, ['reset', '--quiet', '--hard', source]);
    return { isMerged: true, commit: source, how: 'fast-forward' };
  }
  const merged = await git(['merge', '--no-ff', '--no-commit', '--no-verify-signatures', source], { config: PLAIN });
  const conflicts = merged.ok ? [] : await readConflicts(git, top);
  if (conflicts.length > 0) return { isMerged: false, conflicts };
  if (!merged.ok) throw new GitProblem(merged.problem);
  const tree = (await demandGit(git, ['write-tree'])).trim();
  const commit = await commitTree(git, { tree, parent: target, subject, runId, ...(order.isSquashed ? {} : { merged: source }) });
  await demandGit(git, ['reset', '--quiet', '--hard', commit]);
  return { isMerged: true, commit, how: order.isSquashed ? 'squash' : 'merge' };
}

const SHOWN_FILES = 20;

/** What the index says of files in conflict: by path `<mode> <object id>` of the base (`1`), the target (`2`) and the source (`3`). */
export async function readStages(git: Repository['git']): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const stages = new Map<string, Map<string, string>>();
  for (const { path, stage, mode, id } of await listIndex(git, { isUnmerged: true }))
    stages.set(path, (stages.get(path) ?? new Map<string, string>()).set(stage, `${mode} ${id}`));
  return stages;
}

async function readConflicts(git: Repository['git'], top: string): Promise<readonly MergeConflict[]> {
  return [...(await readStages(git))].map(([path, sides], place) => ({
    path,
    what: toWhat(sides),
    hunks: place < SHOWN_FILES ? readHunks(join(top, path)) : [],
  }));
}

function toWhat(sides: ReadonlyMap<string, string>): string {
  const [base, ours, theirs] = ['1', '2', '3'].map((stage) => sides.get(stage));
  if ([base, ours, theirs].some((entry) => entry !== undefined && isSubmodule(entry))) return 'a submodule that both moved';
  if (ours !== undefined && theirs !== undefined) return base === undefined ? 'added by both' : 'changed by both';
  if (base === undefined) return ours === undefined ? 'added or renamed by the run alone' : 'added or renamed there alone';
  if (ours === undefined && theirs === undefined) return 'removed or renamed by both';
  return ours === undefined ? 'removed or renamed there, changed by the run' : 'changed there, removed or renamed by the run';
}

const MAX_HUNKS = 3;
const MAX_LINES = 24;
const MAX_LINE = 200;
const MAX_READ_BYTES = 1 << 20;

/** What stands between git's marks. A binary file has none. */
function readHunks(path: string): readonly string[] {
  const text = readPlainFile(path, MAX_READ_BYTES);
  return text.includes('\0') ? [] : findHunks(text.split('\n')).map(shorten);
}

/** One pass: the file may be full of marks that git did not write. */
function findHunks(lines: readonly string[]): readonly (readonly string[])[] {
  const hunks: (readonly string[])[] = [];
  let begin: number | null = null;
  for (const [place, line] of lines.entries()) {
    if (begin === null && line.startsWith('<<<<<<< ')) begin = place;
    if (begin === null || !line.startsWith('>>>>>>> ')) continue;
    hunks.push(lines.slice(begin, place + 1));
    if (hunks.length === MAX_HUNKS) break;
    begin = null;
  }
  return hunks;
}

function shorten(hunk: readonly string[]): string {
  const lines = hunk.map((line) => line.slice(0, MAX_LINE));
  if (lines.length <= MAX_LINES) return lines.join('\n');
  return [...lines.slice(0, MAX_LINES / 2), `… ${lines.length - MAX_LINES} more lines …`, ...lines.slice(-MAX_LINES / 2)].join('\n');
}
