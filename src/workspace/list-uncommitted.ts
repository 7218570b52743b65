import type { Baseline } from './baseline.ts';
import { findRepository, type RepositorySettings } from './find-repository.ts';
import { listUntouched } from './list-untouched.ts';
import { readStatus } from './read-status.ts';

/**
 * What is not committed in a folder's repository, without what git ignores and the state folders: paths from its top. Empty outside of git. Never rejects.
 *
 * @param baseline of a run: what is the user's own and as it was then is not among them either
 */
export async function listUncommitted(settings: RepositorySettings, baseline: Baseline | null = null): Promise<readonly string[]> {
  const search = await findRepository(settings);
  if (!search.found) return [];
  try {
    const status = await readStatus(search.repository);
    const untouched = listUntouched(status, search.repository.top, baseline);
    return [...new Set(status.entries.map(({ path }) => path))].filter((path) => !untouched.has(path)).sort();
  } catch {
    return [];
  }
}
