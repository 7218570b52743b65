import { dirname, join, relative, sep } from 'node:path';
import { accept, type Refusal, type Result, refuse } from '../../core/index.ts';
import { parseStatus, toStatusArguments } from '../../git/index.ts';
import type { ToolContext } from '../tool-context.ts';
import type { CheckedRepository } from './open-repository.ts';

const MOST_FILES = 5000;

/**
 * The files of the workspace that differ from the last commit, staged or not, known to git or not, as absolute paths. Submodules and repositories
 * inside of this one are left out.
 *
 * @param paths relative to the workspace.
 */
export async function listChangedFiles(
  { git, top }: CheckedRepository,
  paths: readonly string[],
): Promise<Result<readonly string[], Refusal>> {
  const answer = await git(toStatusArguments({ submodules: 'passed-over', paths: paths.length === 0 ? ['.'] : paths }));
  if (!answer.ok) return refuse({ reason: answer.problem, advice: '' });
  const { entries } = parseStatus(answer.stdout);
  if (entries.some(({ kind }) => kind === 'unmerged'))
    return refuse({ reason: 'A merge is not finished: nothing was committed.', advice: 'Mend the files with conflicts first.' });
  // A file that was taken out of the index and is still there has two entries.
  const files = [...new Set(entries.map(({ path }) => path))].filter((path) => !path.endsWith('/'));
  if (files.length > MOST_FILES) {
    const advice = 'Name the paths to commit, or put built files into .gitignore.';
    return refuse({ reason: `${files.length} files are changed: nothing was committed.`, advice });
  }
  return accept(files.map((path) => join(top, path)));
}

/**
 * Sorts files by whether they may be committed: what only Ralph writes may not, and the jail knows what that is. The jail of a hat that may commit but
 * not write refuses everything: there the name has to do.
 */
export async function splitByJail(
  files: readonly string[],
  { jail, mayWrite }: Pick<ToolContext, 'jail' | 'mayWrite'>,
): Promise<{ allowed: readonly string[]; refused: readonly string[] }> {
  const verdicts = new Map<string, boolean>();
  const allowed: string[] = [];
  const refused: string[] = [];
  for (const file of files) {
    // By its folder: a link is committed as it is, wherever it leads.
    const folder = dirname(file);
    const known = verdicts.get(folder) ?? (mayWrite ? await mayWriteIn(folder, jail) : !isOfRalph(folder, jail));
    verdicts.set(folder, known);
    (known ? allowed : refused).push(toShown(file, jail));
  }
  return { allowed, refused };
}

async function mayWriteIn(folder: string, jail: ToolContext['jail']): Promise<boolean> {
  return 'path' in (await jail.resolveWrite(join(folder, 'a-file')));
}

function isOfRalph(folder: string, jail: ToolContext['jail']): boolean {
  return toShown(folder, jail).toLowerCase().split('/').includes('.ralph');
}

function toShown(file: string, jail: ToolContext['jail']): string {
  return relative(jail.workspace, file).split(sep).join('/');
}
