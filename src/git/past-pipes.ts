import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from './contract.ts';
import { encodeNames } from './file-names.ts';
import { demandGit, GitProblem } from './git.ts';

/** Git that takes longer may wait for a pipe; one that reads a large tree is not in the way of a look at its folders. */
const LATE_MS = 2000;
/** So many folders are looked at. */
const MAX_FOLDERS = 20_000;
const IGNORING = '.gitignore';
/** What git reads in each folder of tracked files. */
const READ_BY_GIT = [IGNORING, '.gitattributes'];

/**
 * Asks git something for which it reads what is to be ignored, and does not wait with it for a pipe in the place of such a file: at the top that is looked for before, in all other
 * folders where git takes long. An answer that comes soon costs nothing but two looks.
 *
 * @throws GitProblem that names the pipe; what `ask` throws
 */
export async function askPastPipes<Answer>(
  { git, top }: Pick<Repository, 'git' | 'top'>,
  ask: (abort: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const first = findPipe(top, ['']);
  if (first !== null) throw toProblem(first);
  const [answered, ended] = [new AbortController(), new AbortController()];
  let late: GitProblem | null = null;
  const look = async (): Promise<void> => {
    // From the index alone: for this git reads none of these files.
    const names = await demandGit(git, ['ls-files', '-z', '--full-name', '--', top]).catch(() => '');
    const found = findPipe(top, listFolders(names)) ?? (await findUntracked({ git, top }, answered.signal));
    if (found === null) return;
    late = toProblem(found);
    ended.abort();
  };
  const timer = setTimeout(() => void look().catch(() => undefined), LATE_MS);
  try {
    return await ask(ended.signal);
  } catch (error) {
    throw late ?? error;
  } finally {
    clearTimeout(timer);
    answered.abort();
  }
}

function toProblem(name: string): GitProblem {
  return new GitProblem(`in the place of ${name} is a pipe, a socket or a device, and git would wait for it`, `Remove it: rm ${name}`);
}

/** The first one in these folders, each `''` or with a `/` at its end. */
function findPipe(top: string, folders: Iterable<string>): string | null {
  for (const folder of folders) {
    const found = READ_BY_GIT.find((name) => isSpecial(join(top, folder, name)));
    if (found !== undefined) return folder + found;
  }
  return null;
}

function listFolders(names: string): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const name of names.split('\0')) {
    for (let end = name.lastIndexOf('/'); end > 0 && folders.size < MAX_FOLDERS; end = name.lastIndexOf('/', end - 1)) {
      const folder = name.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** One in a folder in which nothing is tracked, the least deep first. Into what it ignores, git does not look. */
async function findUntracked(repository: Pick<Repository, 'git' | 'top'>, answered: AbortSignal): Promise<string | null> {
  const folders = [''];
  // Those that are added meanwhile come, too.
  for (const folder of folders) {
    if (answered.aborted) return null;
    const entries = await readdir(join(repository.top, folder), { withFileTypes: true }).catch(() => []);
    const pipe = entries.find((entry) => entry.name === IGNORING && !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink());
    if (pipe !== undefined && !(await isIgnored(repository, folder, answered))) return folder + IGNORING;
    const inner = entries.filter((entry) => entry.isDirectory() && entry.name !== '.git').map(({ name }) => `${folder}${name}/`);
    folders.push(...inner.slice(0, Math.max(0, MAX_FOLDERS - folders.length)));
  }
  return null;
}

/** For this git reads what the folders around it say, and these have been looked at; where it waits for something all the same, it is not ignored. */
async function isIgnored({ git, top }: Pick<Repository, 'git' | 'top'>, folder: string, answered: AbortSignal): Promise<boolean> {
  const abort = AbortSignal.any([answered, AbortSignal.timeout(LATE_MS)]);
  return (await git(['check-ignore', '--quiet', '--', join(top, folder.slice(0, -1))], { abort })).exitCode === 0;
}

/** Whether it is a pipe, a socket or a device. */
export function isSpecial(path: string): boolean {
  const stats = lstatSync(encodeNames(path), { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory();
}
