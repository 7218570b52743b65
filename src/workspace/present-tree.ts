import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeNames } from './file-names.ts';
import type { Repository } from './find-repository.ts';
import { demandGit } from './git.ts';
import { type OwnIndex, readTree, writeTree } from './write-tree.ts';

/** What stands at a path now. `behind`: nothing, and a file or link stands where a folder of it would be. */
export type Standing = 'file' | 'folder' | 'nothing' | 'behind' | 'special';

/** Looks without following any link below the top. */
export function readStanding(top: string, path: string): Standing {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const kind = readKind(join(top, folder));
    if (kind !== 'folder' && kind !== 'nothing') return 'behind';
  }
  return readKind(join(top, path));
}

function readKind(path: string): Standing {
  try {
    const stats = lstatSync(encodeNames(path));
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() || stats.isSymbolicLink() ? 'file' : 'special';
  } catch {
    return 'nothing';
  }
}

/**
 * Stores a tree in which these paths are as they are in the working tree and all others as in `base`; its object id.
 *
 * @throws GitProblem, or the system error when the index of ours cannot be made
 */
export async function storePresent({ git, top }: Repository, base: string, paths: readonly string[], index: OwnIndex): Promise<string> {
  mkdirSync(dirname(index.indexFile), { recursive: true });
  rmSync(`${index.indexFile}.lock`, { force: true });
  try {
    await readTree(git, index, base);
    const files = paths.filter((path) => readStanding(top, path) === 'file');
    const toInput = (names: readonly string[]): string => names.map((name) => `${name}\0`).join('');
    await demandGit(git, ['update-index', '--force-remove', '-z', '--stdin'], { ...index, input: toInput(paths) });
    await demandGit(git, ['update-index', '--add', '--replace', '-z', '--stdin'], { ...index, input: toInput(files) });
    return await writeTree(git, index);
  } finally {
    rmSync(index.indexFile, { force: true });
  }
}
