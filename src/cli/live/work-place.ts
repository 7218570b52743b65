import { relative, sep } from 'node:path';
import type { WorkFacts } from '../../views/report/work-facts.ts';
import { toCount, toList, toPlainLine } from '../../views/text/plain-text.ts';
import type { AppApi } from '../app-api.ts';
import type { CliContext } from '../cli-context.ts';

/** A run that has ended, as far as it matters for where its work is. */
export interface EndedWork {
  readonly runId: string;
  /** Absolute. */
  readonly workspace: string;
  /** Why it ended. */
  readonly reason: string;
  /** Why a worktree has something that is not committed; empty where nothing is to be said. */
  readonly note: string;
  readonly facts: WorkFacts | null;
}

/** Where the work of a run is, and what can be done with it; empty: in the folder, and committed. */
export async function toPlaceText(
  context: Pick<CliContext, 'cwd' | 'env'>,
  place: { readonly app: AppApi; readonly cwd: string },
  work: EndedWork,
): Promise<string> {
  return isWorktree(work.workspace) ? toWorktreeText(context, place, work) : toUncommittedText(work);
}

/** The folder of `--worktree` runs has this name, whatever the state folder is called. */
function isWorktree(workspace: string): boolean {
  return workspace.includes(`${sep}worktrees${sep}`);
}

/** In the folder itself what a run changed is the person's to commit, or to give up. */
function toUncommittedText({ runId, facts }: EndedWork): string {
  const { changed, place } = facts ?? { changed: null, place: null };
  if (changed === null || place?.state == null) return '';
  const { uncommitted } = place.state;
  const left = changed.files.map(({ path }) => path).filter((path) => uncommitted.first.includes(path));
  if (left.length === 0) return '';
  const count = uncommitted.count > uncommitted.first.length ? `at least ${toCount(left.length, 'file')}` : toCount(left.length, 'file');
  return `Not committed: ${count} that the run changed (${toPlainLine(toList(left, 3), 300)}). See it: ralph show ${runId} --diff. Undo it: ralph undo\n`;
}

/** A run in a worktree leaves nothing in the folder where it was started, so it has to be said where to look, and what to do with what is there. */
async function toWorktreeText(
  { cwd, env }: Pick<CliContext, 'cwd' | 'env'>,
  { app, cwd: root }: { readonly app: AppApi; readonly cwd: string },
  { workspace, reason, note }: EndedWork,
): Promise<string> {
  const place = `The work is in ${relative(cwd, workspace) || '.'}, a git worktree`;
  const worktree = await app.findRunWorktree(root, workspace, env).catch(() => null);
  if (worktree === null) return `${place}. What is in it: ralph worktrees\n`;
  const { name, commits, uncommitted, ignored } = worktree;
  const land = reason === 'completed' ? 'ralph land' : 'ralph land --unfinished';
  const why = note === '' ? '' : ` (${toPlainLine(note, 200)})`;
  if (uncommitted.length > 0)
    return `${place}; not committed there: ${toCount(uncommitted.length, 'file')}${why}. Commit what you want to keep, then: ${land}\n`;
  if (commits > 0) return `${place}, in ${toCount(commits, 'commit')}. Merge it: ${land}\n`;
  if (ignored.length > 0) {
    const names = toPlainLine(toList(ignored, 3), 300);
    return `${place} with nothing but files that git ignores: ${names}. Move what you need out of it, then: ralph worktrees remove ${name} --force\n`;
  }
  return `${place} with nothing in it that is not also here. Remove it: ralph worktrees remove ${name}\n`;
}
