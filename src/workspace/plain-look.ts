import type { RepositorySettings } from './find-repository.ts';
import { MAX_IGNORED, type TreeRecord } from './tree-record.ts';
import { walkFiles } from './walk-files.ts';

/** Outside git the files themselves are looked at, as far as that goes. */
export function recordPlainly({ cwd, stateDirs }: RepositorySettings, exempt: readonly string[]): TreeRecord {
  const isExempt = toExemption([...stateDirs, ...exempt]);
  const { files, isWhole } = walkFiles(cwd, [''], MAX_IGNORED, (path) => path !== '' && isExempt(path));
  const nothing = { dirty: new Map(), refs: new Map(), guarded: new Map(), nested: new Map(), isNestedWhole: true, nestedRoots: [] };
  return { ...nothing, ignored: files, ignoredRoots: [], isIgnoredWhole: isWhole };
}

/** Says of a path whether it is one of these folders or in one. */
export function toExemption(folders: readonly string[]): (path: string) => boolean {
  return (path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
