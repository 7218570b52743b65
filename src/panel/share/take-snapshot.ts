import { lstat, mkdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { copyInPlace } from './copy-in-place.ts';
import { inLanes } from './in-lanes.ts';
import { resolveInner } from './inner-link.ts';
import { createLeftOutNotes, type LeftOutList, type LeftOutNotes } from './left-out.ts';
import { type ListRules, listWorkspace } from './list-workspace.ts';
import { removeShared } from './remove-shared.ts';
import { checkRoot } from './workspace-base.ts';

/** How much a snapshot holds; each has a default. */
export interface SnapshotLimits {
  readonly maxFiles?: number;
  readonly maxBytes?: number;
  /** Relative to the workspace: the state folder of the run, where it is not `.ralph`, and what else no other agent is to see. */
  readonly skipped?: readonly string[];
}

/** What is in a snapshot, and what is not. */
export interface SnapshotReport {
  /** Links too. */
  readonly files: number;
  readonly bytes: number;
  /** What an agent cannot miss is not told: `.git`, `node_modules`, folders of Ralph, and what is skipped. */
  readonly leftOut: LeftOutList;
}

const DEFAULTS: ListRules = { maxFiles: 20_000, maxBytes: 200_000_000, skipped: [] };

/**
 * Copies what an agent made: the regular files of its workspace, and links that stay in it. No folder without a file, no secrets by their names, and no
 * more than the limits. What is at `to` is replaced when all is there.
 *
 * @param to of the caller's making, in no place that an agent may write to
 * @throws the system's error where the snapshot cannot be written; never for what the workspace is
 */
export async function takeSnapshot(from: string, to: string, limits: SnapshotLimits = {}): Promise<SnapshotReport> {
  const rules: ListRules = { ...DEFAULTS, ...limits };
  const notes = createLeftOutNotes();
  const unfinished = `${to}.tmp`;
  await removeShared(unfinished);
  await mkdir(unfinished, { recursive: true });
  try {
    // One that was removed, made anew or replaced by a link: what it lacks was not removed file by file.
    const root = await checkRoot(from);
    const top = root === 'other' ? null : await realpath(from).catch(() => null);
    if (root === 'unmarked') notes.add('', 'unreadable');
    if (top === null) notes.add('', 'unreadable');
    const copied = top === null ? { files: 0, bytes: 0 } : await copyWorkspace(top, unfinished, rules, notes);
    await removeShared(to);
    await rename(unfinished, to);
    return { ...copied, leftOut: notes.list() };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

type Copied = Pick<SnapshotReport, 'files' | 'bytes'>;

async function copyWorkspace(top: string, to: string, rules: ListRules, notes: LeftOutNotes): Promise<Copied> {
  const listed = await listWorkspace(top, rules, notes);
  const folders = new Set(listed.files.map((path) => posix.dirname(path)));
  await inLanes([...folders], async (folder) => {
    await mkdir(join(to, folder), { recursive: true });
  });
  let [files, bytes] = [0, 0];
  await inLanes(listed.files, async (path) => {
    // Asked again: it may have grown since it was listed.
    const fits = (size: number): boolean => {
      if (bytes + size > rules.maxBytes) return false;
      bytes += size;
      return true;
    };
    const result = await copyInPlace(join(top, path), join(to, path), fits);
    if (result === 'copied') files += 1;
    else notes.add(path, result === 'too-large' ? 'bytes' : 'unreadable');
  });
  await inLanes(listed.links, async (path) => {
    if (await copyLink(top, to, path)) files += 1;
    else notes.add(path, 'link');
  });
  return { files, bytes };
}

/**
 * A link of the snapshot names what it leads to in the end, by the way from folder to folder: without another link on it, the way cannot lead out.
 *
 * @returns false where that is not in the snapshot
 */
async function copyLink(top: string, to: string, path: string): Promise<boolean> {
  const inner = await resolveInner(top, join(top, path));
  if (inner === null) return false;
  const isThere = await lstat(join(to, inner.target)).then(
    (stats) => stats.isFile() || stats.isDirectory(),
    () => false,
  );
  if (!isThere) return false;
  const place = join(to, path);
  await mkdir(dirname(place), { recursive: true });
  await symlink(inner.text, place);
  return true;
}
