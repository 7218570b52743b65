import { join } from 'node:path';
import type { Baseline } from './baseline.ts';
import { readFileVersion, toComparableLimit } from './file-version.ts';
import { ABSENT, type GitStatus } from './parse-status.ts';

/** The versions that tell what a file holds: see `readFileVersion`. */
const KNOWN = /^(?:\d{6} |time )/;

/**
 * What differs from the last commit only because it is the user's own: as it was when the run began, byte for byte. Of a worktree these are copies of what was
 * taken along. Empty without a baseline.
 */
export function listUntouched({ entries, head }: GitStatus, top: string, baseline: Baseline | null): ReadonlySet<string> {
  const own = new Map(baseline?.dirty.map(({ path, content }) => [path, content]));
  return new Set(entries.flatMap(({ path, isRepository }) => (!isRepository && isAsBefore(path, own.get(path)) ? [path] : [])));

  function isAsBefore(path: string, content: string | undefined): boolean {
    if (content === undefined || (content !== ABSENT && !KNOWN.test(content))) return false;
    return readFileVersion(join(top, path), head, toComparableLimit(content)) === content;
  }
}
