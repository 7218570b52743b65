import { findRepository, type RepositorySettings } from './find-repository.ts';

/** Which of these folders (relative to the folder of the run, there or not) git would ignore; none where git cannot tell. Never rejects. */
export async function listIgnored(settings: RepositorySettings, folders: readonly string[]): Promise<readonly string[]> {
  if (folders.length === 0) return [];
  const found = await findRepository(settings);
  if (!found.found) return [];
  const { git, prefix } = found.repository;
  const input = folders.map((folder) => `${prefix}${folder}/\0`).join('');
  const { stdout } = await git(['check-ignore', '-z', '--stdin'], { input });
  const ignored = new Set(stdout.split('\0'));
  return folders.filter((folder) => ignored.has(`${prefix}${folder}/`));
}
