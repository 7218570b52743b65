import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './find-repository.ts';
import { demandGit } from './git.ts';
import { readGitPlaces } from './read-git-places.ts';

/** A file that was written just now may be written once more within the same tick of the clock. */
const TICK_MS = 50;

/** What a repository tracks. Git is asked again only when its index is another one. */
export interface IndexList {
  /**
   * Paths from the top, without the state of Ralph's own; a repository inside it as its folder.
   *
   * @throws GitProblem
   */
  readonly read: (repository: Repository) => Promise<readonly string[]>;
}

/** A list of which nothing is known yet. */
export function createIndexList(): IndexList {
  let last: { readonly version: string; readonly paths: readonly string[] } | null = null;
  return {
    read: async ({ git, top, gitDir, isOwnState }) => {
      const version = readVersion(join(readGitPlaces(top, gitDir).gitDir, 'index'));
      if (last !== null && last.version === version) return last.paths;
      const text = await demandGit(git, ['ls-files', '-z', '--cached']);
      const paths = [...new Set(text.split('\0'))].filter((path) => path !== '' && !isOwnState(path));
      last = version === null ? null : { version, paths };
      return paths;
    },
  };
}

/** How the index looks from outside; `null` where that does not tell it from another one. Git never writes into it: a new one takes its place. */
function readVersion(path: string): string | null {
  try {
    const { size, mtimeMs, ctimeMs, ino, dev } = lstatSync(path);
    return Date.now() - Math.max(mtimeMs, ctimeMs) > TICK_MS ? `${path} ${size} ${mtimeMs} ${ctimeMs} ${ino} ${dev}` : null;
  } catch {
    return null;
  }
}
