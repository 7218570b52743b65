import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { RalphError } from '../core/values/errors.ts';

export interface WorktreePlace {
  /** Absolute path of the worktree's top. */
  readonly path: string;
  /** Short name of its branch. */
  readonly branch: string;
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;

/**
 * The place of a worktree: `<cwd>/<state folder>/worktrees/<name>` on the branch `ralph/<name>`.
 *
 * @throws RalphError `worktree-name` for a name that could lead anywhere else or that git would not take, and `worktree-place` when
 * the state folder is a link to somewhere outside the workspace.
 */
export function toWorktreePlace(cwd: string, stateDir: string, name: string): WorktreePlace {
  if (!NAME.test(name) || name.includes('..') || name.endsWith('.lock')) {
    throw new RalphError({
      code: 'worktree-name',
      what: `${JSON.stringify(name)} is no name for a worktree.`,
      why: 'It becomes the name of a folder and of a branch.',
      fix: 'Use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.',
      exitCode: 2,
    });
  }
  const path = join(cwd, stateDir, 'worktrees', name);
  if (!staysInside(cwd, path)) {
    throw new RalphError({
      code: 'worktree-place',
      what: `${path} leads to a folder outside of ${cwd}.`,
      why: 'Ralph writes only inside the folder it was started in.',
      fix: `Let ${stateDir} and the folders in it be no links.`,
    });
  }
  return { path, branch: `ralph/${name}` };
}

/** Whether a path, as far as it exists, is inside a folder. */
function staysInside(folder: string, path: string): boolean {
  const real = toRealPath(path);
  const way = relative(realpathSync(folder), real);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/** The real path of the part that exists, and the rest as it is. */
function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = join(path, '..');
    return parent === path ? path : join(toRealPath(parent), relative(parent, path));
  }
}
