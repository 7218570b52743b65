import { findRepository, type RepositorySettings } from './find-repository.ts';
import { readStatus } from './read-status.ts';

/** What is not committed in a folder's repository, without what git ignores and the state folders: paths from its top. Empty outside of git. Never rejects. */
export async function listUncommitted(settings: RepositorySettings): Promise<readonly string[]> {
  const search = await findRepository(settings);
  if (!search.found) return [];
  try {
    const { entries } = await readStatus(search.repository);
    return [...new Set(entries.map(({ path }) => path))].sort();
  } catch {
    return [];
  }
}
