import { createHash } from 'node:crypto';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { toErrorCode } from '../../core/values/errors.ts';
import { hashFile } from './hash-file.ts';
import { inLanes } from './in-lanes.ts';
import { listFolder } from './list-folder.ts';
import { isTaken } from './list-workspace.ts';
import type { BaseFile, BaseLink, WorkspaceBase } from './workspace-base.ts';

/** What an agent made: a file or a link of its snapshot. */
export type Made =
  | { readonly path: string; readonly kind: 'file'; readonly size: number; readonly mode: number; readonly hash: string }
  | { readonly path: string; readonly kind: 'link'; readonly link: string };

/** What is to be done for a folder to be as an agent made it. Without a conflict, or there is nothing to be done. */
export interface WorkPlan {
  /** What the agent made, in the order of names. */
  readonly writes: readonly Made[];
  /** Of these, the ones that are not there yet. */
  readonly openWrites: readonly Made[];
  /** What the agent removed, in the order of names. */
  readonly removals: readonly string[];
  /** Of these, the ones that are still there. */
  readonly openRemovals: readonly string[];
  readonly conflicts: readonly string[];
}

/**
 * Reads a snapshot.
 *
 * @throws the system's error: one that cannot be read would look as if all had been removed
 */
export async function readMade(snapshot: string): Promise<ReadonlyMap<string, Made>> {
  const { files, links } = await listFolder(snapshot, { isSkipped: () => false, isLenient: false });
  const made = new Map<string, Made>();
  await inLanes(files, async ({ path, stats: { size, mode } }) => {
    made.set(path, { path, kind: 'file', size, mode: mode & 0o777, hash: await hashFile(join(snapshot, path), size) });
  });
  await inLanes(links, async (path) => {
    made.set(path, { path, kind: 'link', link: await readlink(join(snapshot, path)) });
  });
  return made;
}

/** The same for two snapshots that hold the same. */
export async function hashSnapshot(snapshot: string): Promise<string> {
  const made = [...(await readMade(snapshot)).values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  const hash = createHash('sha256');
  for (const one of made) hash.update(`${JSON.stringify(one)}\n`);
  return hash.digest('hex').slice(0, 16);
}

/**
 * Compares what an agent made with what its workspace was made of, and that with how the folder is now.
 *
 * @param top the folder, without links
 * @param hasAll whether what the snapshot lacks was removed
 */
export async function planWork(base: WorkspaceBase, made: ReadonlyMap<string, Made>, top: string, hasAll: boolean): Promise<WorkPlan> {
  const writes = [...made.values()].filter((one) => isAllowed(one, base.skipped) && isChanged(one, base.files.get(one.path)));
  const removals = listRemoved(base, made, hasAll);
  const removed = new Set(removals);
  const [openWrites, openRemovals, conflicts] = [new Set<Made>(), new Set<string>(), new Set<string>()];
  await inLanes(writes, async (one) => {
    const result = await checkWrite(one, base.files.get(one.path), { top, removed });
    if (result === 'open') openWrites.add(one);
    else if (result !== 'done') conflicts.add(result.conflict);
  });
  await inLanes(removals, async (path) => {
    const result = await checkRemoval(path, base.files.get(path), top);
    if (result === 'open') openRemovals.add(path);
    else if (result !== 'done') conflicts.add(result.conflict);
  });
  writes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    writes,
    openWrites: writes.filter((one) => openWrites.has(one)),
    removals,
    openRemovals: removals.filter((path) => openRemovals.has(path)),
    conflicts: [...conflicts].sort(),
  };
}

/** The folders that a path lies in, from the outermost on. */
export function listFolders(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/** Whether the loop may write it: by its path, and a link also by what it leads to. */
function isAllowed(one: Made, skipped: readonly string[]): boolean {
  if (!isTaken(one.path, skipped)) return false;
  if (one.kind === 'file') return true;
  const target = toTarget(one.path, one.link);
  return target === '.' || (!posix.isAbsolute(one.link) && target.split('/')[0] !== '..' && isTaken(target, skipped));
}

function toTarget(path: string, link: string): string {
  return posix.normalize(posix.join(posix.dirname(path), link)).replace(/(.)\/$/, '$1');
}

function isChanged(one: Made, known: BaseFile | BaseLink | undefined): boolean {
  if (known === undefined) return true;
  if (one.kind === 'link') return !('link' in known) || known.shown !== one.link;
  return 'link' in known || known.size !== one.size || known.mode !== one.mode || known.hash !== one.hash;
}

/**
 * What the agent removed: what a snapshot would have held, and what cannot be there any more because a file stands where its folder was, or the other way
 * round.
 */
function listRemoved({ skipped, files }: WorkspaceBase, made: ReadonlyMap<string, Made>, hasAll: boolean): readonly string[] {
  const taken = new Set<string>(['.']);
  for (const [path, known] of files)
    if ('hash' in known && isTaken(path, skipped)) for (const place of [...listFolders(path), path]) taken.add(place);
  const madeFolders = new Set([...made.keys()].flatMap(listFolders));
  const isHeld = (path: string, known: BaseFile | BaseLink): boolean =>
    'hash' in known || (known.shown !== null && taken.has(toTarget(path, known.shown)));
  const removed = [...files].filter(([path, known]) => {
    if (made.has(path) || !isTaken(path, skipped)) return false;
    const isReplaced = madeFolders.has(path) || listFolders(path).some((folder) => made.has(folder));
    return isReplaced || (hasAll && isHeld(path, known));
  });
  return removed.map(([path]) => path).sort();
}

type Checked = 'open' | 'done' | { readonly conflict: string };

/** What stands at a place. */
type PlaceState =
  | { readonly kind: 'nothing' | 'folder' | 'other' }
  | { readonly kind: 'file'; readonly size: number; readonly mode: number }
  | { readonly kind: 'link'; readonly link: string };

interface CheckedFolder {
  readonly top: string;
  readonly removed: ReadonlySet<string>;
}

async function checkWrite(one: Made, known: BaseFile | BaseLink | undefined, { top, removed }: CheckedFolder): Promise<Checked> {
  const way = await findInTheWay(top, one.path);
  // A link on the way may lead anywhere, and a file that nobody knows is somebody's.
  if (way !== null && !removed.has(way)) return { conflict: way };
  const standing: PlaceState = way === null ? await look(join(top, one.path)) : { kind: 'nothing' };
  const conflict = { conflict: one.path };
  if (standing.kind === 'nothing') return known === undefined ? 'open' : conflict;
  if (standing.kind === 'folder') {
    if (known !== undefined) return conflict;
    const foreign = await findForeign(top, one.path, removed);
    return foreign === null ? 'open' : { conflict: foreign };
  }
  if (await isAsMade(join(top, one.path), standing, one)) return 'done';
  return known !== undefined && (await isAsKnown(join(top, one.path), standing, known)) ? 'open' : conflict;
}

async function checkRemoval(path: string, known: BaseFile | BaseLink | undefined, top: string): Promise<Checked> {
  if (known === undefined || (await findInTheWay(top, path)) !== null) return 'done';
  const standing = await look(join(top, path));
  if (standing.kind === 'nothing' || standing.kind === 'folder') return 'done';
  return (await isAsKnown(join(top, path), standing, known)) ? 'open' : { conflict: path };
}

/** The first on the way to a path that is there and is no folder. */
async function findInTheWay(top: string, path: string): Promise<string | null> {
  for (const folder of listFolders(path)) {
    const { kind } = await look(join(top, folder));
    if (kind === 'nothing') return null;
    if (kind !== 'folder') return folder;
  }
  return null;
}

/** Something in a folder that would be lost with it. */
async function findForeign(top: string, folder: string, removed: ReadonlySet<string>): Promise<string | null> {
  for (const entry of await readdir(join(top, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    const foreign = entry.isDirectory() ? await findForeign(top, path, removed) : removed.has(path) ? null : path;
    if (foreign !== null) return foreign;
  }
  return null;
}

async function look(place: string): Promise<PlaceState> {
  const stats = await lstat(place).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(toErrorCode(error))) return null;
    throw error;
  });
  if (stats === null) return { kind: 'nothing' };
  if (stats.isDirectory()) return { kind: 'folder' };
  if (stats.isSymbolicLink()) return { kind: 'link', link: await readlink(place) };
  return stats.isFile() ? { kind: 'file', size: stats.size, mode: stats.mode & 0o777 } : { kind: 'other' };
}

async function isAsMade(place: string, standing: PlaceState, one: Made): Promise<boolean> {
  if (standing.kind === 'link') return one.kind === 'link' && standing.link === one.link;
  if (standing.kind !== 'file' || one.kind !== 'file' || standing.size !== one.size || standing.mode !== one.mode) return false;
  return (await hashFile(place, standing.size)) === one.hash;
}

/** Its time is not asked: a file that was only touched is the same, and one that was written within a tick of the clock is not. */
async function isAsKnown(place: string, standing: PlaceState, known: BaseFile | BaseLink): Promise<boolean> {
  if ('link' in known) return standing.kind === 'link' && standing.link === known.link;
  if (standing.kind !== 'file' || standing.size !== known.size || standing.mode !== known.mode) return false;
  return (await hashFile(place, standing.size)) === known.hash;
}
