import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import type { Repository } from './contract.ts';
import { demandGit, GitProblem } from './git.ts';

/** The first time there may be much of it. */
const PACK_MS = 10 * 60_000;

/**
 * Packs the objects that are not packed, of everything that a branch, a tag, the stash, a reflog or an index knows. Git reads what is packed before what is not, so where
 * packs cannot be written, nobody can put something else in the place of these. Before that each is compared with its name: git packs it as it is.
 *
 * @throws GitProblem
 */
export async function packObjects({ git }: Pick<Repository, 'git'>): Promise<void> {
  // What is packed already counts, whatever lies beside it.
  await demandGit(git, ['prune-packed', '-q'], { timeoutMs: PACK_MS });
  const folder = await findObjects(git);
  for (const id of listLoose(folder)) await demandTrue(folder, id);
  await demandGit(git, ['repack', '-d', '-l', '-q', '-n'], { timeoutMs: PACK_MS });
}

/**
 * Compares objects with their names: those that only one of two commits has and that are not packed. Git itself does not, when it reads them.
 *
 * @throws GitProblem that names the first one that holds something else
 */
export async function demandTrueObjects({ git }: Repository, one: string, other: string): Promise<void> {
  const folder = await findObjects(git);
  const listed = await demandGit(git, ['rev-list', '--objects', '--no-object-names', `${one}...${other}`]);
  for (const id of listed.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line))) {
    if (existsSync(toFile(folder, id))) await demandTrue(folder, id);
  }
}

async function findObjects(git: Repository['git']): Promise<string> {
  return (await demandGit(git, ['rev-parse', '--path-format=absolute', '--git-path', 'objects'])).replace(/\n$/, '');
}

function toFile(folder: string, id: string): string {
  return join(folder, id.slice(0, 2), id.slice(2));
}

/** The names of the objects that are files of their own. */
function* listLoose(folder: string): Iterable<string> {
  for (const start of readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const rest of readdirSync(join(folder, start))) if (/^(?:[0-9a-f]{38}|[0-9a-f]{62})$/.test(rest)) yield `${start}${rest}`;
}

async function demandTrue(folder: string, id: string): Promise<void> {
  if ((await hashObject(toFile(folder, id), id.length)) === id) return;
  throw new GitProblem(`git object ${id} is corrupt or was replaced`, 'Run git fsck. Do not use what it names before you have read it.');
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
