import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { createGit } from './git.ts';

/** What became of the links that were asked for; the paths are as they were given. */
export interface SharedLinks {
  readonly linked: readonly string[];
  /** Linked, but not ignored by git there: a pattern such as `node_modules/` means folders only, and a link is none. */
  readonly notIgnored: readonly string[];
}

interface LinkOrder {
  /** The folder that has the things. */
  readonly cwd: string;
  readonly links: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Links folders of the main checkout into a worktree, where they exist there and nothing is in the way here. A path that leads out of
 * the folder, or to git's own, is passed over. Never rejects.
 *
 * @param target absolute path of the folder in the worktree.
 */
export async function linkShared(order: LinkOrder, target: string): Promise<SharedLinks> {
  const linked = order.links.filter((name) => isInside(name) && linkOne(join(order.cwd, name), join(target, name)));
  if (linked.length === 0) return { linked, notIgnored: [] };
  const input = linked.map((name) => `${name}\0`).join('');
  const checked = await createGit(target, order.env)(['check-ignore', '-z', '--stdin'], { input });
  const ignored = checked.stdout.split('\0');
  return { linked, notIgnored: linked.filter((name) => !ignored.includes(name)) };
}

function isInside(name: string): boolean {
  const parts = normalize(name).split(sep);
  return name !== '' && !isAbsolute(name) && !parts.includes('..') && parts[0] !== '.git' && normalize(name) !== '.';
}

/** True when the link is there afterwards. */
function linkOne(from: string, to: string): boolean {
  try {
    if (!existsSync(from) || isThere(to)) return false;
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
