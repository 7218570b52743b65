import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quietly, tryOr } from '../../core/values/result.ts';
import type { OwnIndex, Repository } from '../../git/contract.ts';
import { decodeNames, encodeNames } from '../../git/file-names.ts';
import { demandGit } from '../../git/git.ts';
import { readTree, toPathList, writeTree } from '../../git/trees.ts';

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
  return tryOr(() => {
    const stats = lstatSync(encodeNames(path));
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() || stats.isSymbolicLink() ? 'file' : 'special';
  }, 'nothing');
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
    await demandGit(git, ['update-index', '--force-remove', '-z', '--stdin'], { ...index, input: toPathList(paths) });
    await demandGit(git, ['update-index', '--add', '--replace', '-z', '--stdin'], { ...index, input: toPathList(files) });
    return await writeTree(git, index);
  } finally {
    rmSync(index.indexFile, { force: true });
  }
}

/** Removes a folder that holds nothing but folders. Throws the system error where it holds more. */
export function removeFolders(path: string): void {
  const names = readdirSync(encodeNames(path), { encoding: 'buffer' });
  for (const name of names) removeFolders(join(path, decodeNames(name)));
  rmdirSync(encodeNames(path));
}

/** As git does: a folder out of which the last file went goes too, but not the one in which the agents worked. */
export function removeEmptyFolders({ top, prefix }: Pick<Repository, 'top' | 'prefix'>, gone: readonly { readonly path: string }[]): void {
  const folders = new Set(gone.flatMap(({ path }) => listParents(path)));
  const deepest = [...folders].filter((folder) => !prefix.startsWith(`${folder}/`)).sort((left, right) => right.length - left.length);
  for (const folder of deepest) {
    // It holds something, or is gone already.
    quietly(() => rmdirSync(encodeNames(join(top, folder))));
  }
}

/** The folders above a path, the nearest first. */
export function listParents(path: string): readonly string[] {
  const parents: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) parents.push(folder);
  return parents;
}
