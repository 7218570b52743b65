import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, posix } from 'node:path';
import type { Environment } from '../../core/values/environment.ts';
import { tryOr } from '../../core/values/result.ts';
import { createGit } from '../../git/git.ts';
import { toPathList } from '../../git/trees.ts';

export interface SharedLinks {
  readonly linked: readonly string[];
  /** Linked, but not ignored by git there: a pattern such as `node_modules/` means folders only, and a link is none. */
  readonly notIgnored: readonly string[];
}

interface LinkOrder {
  /** The folder that has the things. */
  readonly cwd: string;
  /** From {@link planLinks}. */
  readonly links: readonly string[];
  readonly env: Environment;
}

/** The links that may be made, in plain form: a path that leads out of the folder, or to git's own, is dropped. */
export function planLinks(names: readonly string[]): string[] {
  const paths = names.filter((name) => name !== '' && !isAbsolute(name)).map((name) => posix.normalize(name).replace(/\/$/, ''));
  return [...new Set(paths.filter((path) => path !== '.' && !['..', '.git'].includes(path.split('/')[0] ?? '')))];
}

/**
 * Links folders of the main checkout into a worktree, where they exist there and nothing is in the way here. Never rejects.
 *
 * @param target absolute path of the folder in the worktree.
 */
export async function linkShared(order: LinkOrder, target: string): Promise<SharedLinks> {
  const linked = order.links.filter((path) => linkOne(join(order.cwd, path), join(target, path)));
  if (linked.length === 0) return { linked, notIgnored: [] };
  const input = toPathList(linked);
  const checked = await createGit({ cwd: target, env: order.env })(['check-ignore', '-z', '--stdin'], { input });
  const ignored = checked.stdout.split('\0');
  return { linked, notIgnored: linked.filter((path) => !ignored.includes(path)) };
}

/** True when the link is there afterwards. */
function linkOne(from: string, to: string): boolean {
  return tryOr(() => {
    if (!existsSync(from) || isThere(to)) return false;
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
    return true;
  }, false);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
