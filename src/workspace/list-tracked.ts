import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findRepository, type RepositorySettings } from './find-repository.ts';

/**
 * Which of these folders (relative to the folder of the run) hold files that git tracks; none outside git, and all of them where git cannot tell. Never
 * rejects.
 */
export async function listTracked(settings: RepositorySettings, folders: readonly string[]): Promise<readonly string[]> {
  if (folders.length === 0) return [];
  const found = await findRepository(settings);
  // A repository that git does not know for one is a broken one, not none.
  if (!found.found) return existsSync(join(settings.cwd, '.git')) ? folders : [];
  const { git, prefix } = found.repository;
  const result = await git(['ls-files', '-z', '--', ...folders.map((folder) => `:(top,literal)${prefix}${folder}`)]);
  if (!result.ok) return folders;
  const files = result.stdout.split('\0');
  return folders.filter((folder) => files.some((file) => file.startsWith(`${prefix}${folder}/`)));
}
