import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from './hash-file.ts';
import { inLanes } from './in-lanes.ts';
import { createLeftOutNotes } from './left-out.ts';
import { isTaken, listWorkspace } from './list-workspace.ts';
import { readBase, toBasePath } from './workspace-base.ts';

const MAX_FILES = 20_000;

/**
 * The files that an agent has made, changed or removed in its workspace so far, by path, in the order of names; for people and prompts, not for taking over.
 *
 * @throws where it cannot be said: see `readBase`
 */
export async function listChanged(workspace: string): Promise<readonly string[]> {
  const { files, skipped } = await readBase(toBasePath(workspace));
  const rules = { maxFiles: MAX_FILES, maxBytes: Number.POSITIVE_INFINITY, skipped };
  const listed = await listWorkspace(workspace, rules, createLeftOutNotes());
  const changed = new Set<string>();
  await inLanes(listed.files, async (path) => {
    const known = files.get(path);
    const stats = await lstat(join(workspace, path)).catch(() => null);
    if (stats === null) return;
    if (known === undefined || 'link' in known || known.size !== stats.size) changed.add(path);
    // The time is a hint here, so that a large folder is not read as a whole.
    else if (Math.abs(known.mtimeMs - stats.mtimeMs) > 1 && (await hashFile(join(workspace, path), stats.size)) !== known.hash)
      changed.add(path);
  });
  const there = new Set([...listed.files, ...listed.links]);
  const isWhole = listed.files.length < MAX_FILES;
  if (isWhole) for (const [path, known] of files) if ('hash' in known && !there.has(path) && isTaken(path, skipped)) changed.add(path);
  return [...changed].sort();
}
