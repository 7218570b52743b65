import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { findRepository, type Repository, type RepositorySettings } from './find-repository.ts';
import { demandGit, GitProblem } from './git.ts';

/** The first time there may be much of it. */
const PACK_MS = 10 * 60_000;

/**
 * Packs the objects that are not packed, of everything that a branch, a tag, the stash, a reflog or an index knows. Git reads what is packed before what is not, so where
 * packs cannot be written, nobody can put something else in the place of these.
 *
 * @throws GitProblem
 */
export async function packObjects(settings: RepositorySettings): Promise<void> {
  const search = await findRepository(settings);
  if (!search.found) throw new GitProblem(search.why);
  await demandGit(search.repository.git, ['repack', '-d', '-l', '-q', '-n'], { timeoutMs: PACK_MS });
}

/**
 * Holds objects against their names: those that only one of two commits has and that are not packed. Git itself does not, when it reads them.
 *
 * @throws GitProblem that names the first one that holds something else
 */
export async function demandTrueObjects({ git }: Repository, one: string, other: string): Promise<void> {
  const folder = (await demandGit(git, ['rev-parse', '--path-format=absolute', '--git-path', 'objects'])).replace(/\n$/, '');
  const listed = await demandGit(git, ['rev-list', '--objects', '--no-object-names', `${one}...${other}`]);
  for (const id of listed.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line))) {
    const file = join(folder, id.slice(0, 2), id.slice(2));
    if (!existsSync(file) || (await hashObject(file, id.length)) === id) continue;
    throw new GitProblem(
      `the object ${id} of the repository does not hold what its name says: somebody has put something else in its place`,
      'See which there are: git fsck. Take nothing of that branch but what you have read.',
    );
  }
}

/** The name that an object of that content has; empty where it cannot be read. */
async function hashObject(file: string, length: number): Promise<string> {
  const hash = createHash(length === 40 ? 'sha1' : 'sha256');
  try {
    await pipeline(createReadStream(file), createInflate(), hash);
    return hash.digest('hex');
  } catch {
    return '';
  }
}
