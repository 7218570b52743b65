import { findRepository, type RepositorySettings } from './find-repository.ts';

/** Which of these folders (relative to the folder of the run) hold files that git tracks; none outside git. Never rejects. */
export async function listTracked(settings: RepositorySettings, folders: readonly string[]): Promise<readonly string[]> {
  if (folders.length === 0) return [];
  const found = await findRepository(settings);
  if (!found.found) return [];
  const { git, prefix } = found.repository;
  const result = await git(['ls-files', '-z', '--', ...folders.map((folder) => `:(top,literal)${prefix}${folder}`)]);
  const files = result.stdout.split('\0');
  return folders.filter((folder) => files.some((file) => file.startsWith(`${prefix}${folder}/`)));
}
