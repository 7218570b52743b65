import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, realpath, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isWithin } from '../../core/text/is-within.ts';
import { RalphError } from '../../core/values/errors.ts';
import { copyInPlace } from './copy-in-place.ts';
import { inLanes } from './in-lanes.ts';
import { isTaken } from './list-workspace.ts';
import { listFolders, type Made, planWork, readMade, type WorkPlan } from './plan-work.ts';
import { readBase } from './workspace-base.ts';

/** Work that is to be brought into a folder. */
export interface ApplyOrder {
  /** What `openWorkspace` returned. */
  readonly base: string;
  /** As `takeSnapshot` made it, of the workspace of that base. */
  readonly snapshot: string;
  /** The run's folder. */
  readonly to: string;
  /** Whether the snapshot lacks something of the workspace for which no name is the reason: then that it lacks a file does not mean that it was removed. */
  readonly leftOut: boolean;
}

/** What the agent changed, by path, in the order of names; it is so in the folder now. */
export interface AppliedWork {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** What somebody else has changed since, otherwise than the agent: nothing was brought into the folder. */
  readonly conflicts: readonly string[];
}

/**
 * Brings what an agent made into the run's folder: what it changed, all or nothing, and what it removed of what a snapshot shows. After a crash it is called
 * again, does the rest and returns the same.
 *
 * @throws RalphError `panel-workspace` where nobody knows what was changed; the system's error, and a part of it may be there
 */
export async function applyWork({ base, snapshot, to, leftOut }: ApplyOrder): Promise<AppliedWork> {
  const [top, source] = [await realpath(to), await realpath(snapshot)];
  const known = await readBase(base);
  const made = await readMade(source);
  const plan = await planWork(known, made, top, !leftOut);
  if (plan.conflicts.length > 0) return { written: [], removed: [], conflicts: plan.conflicts };
  await perform(plan, { top, source, skipped: known.skipped });
  return { written: plan.writes.map(({ path }) => path), removed: plan.removals, conflicts: [] };
}

interface Places {
  readonly top: string;
  readonly source: string;
  readonly skipped: readonly string[];
}

/** What stands in the way goes first, everything else last: a program that looks in between misses as little as can be. */
async function perform({ writes, openWrites, removals, openRemovals }: WorkPlan, places: Places): Promise<void> {
  const madeAt = new Map(writes.map(({ path }) => [fold(path), path]));
  const madeFolders = new Set(writes.flatMap(({ path }) => listFolders(path)));
  const isInTheWay = (path: string): boolean =>
    madeFolders.has(path) || listFolders(path).some((folder) => madeAt.get(fold(folder)) === folder);
  const remove = async (path: string): Promise<void> => {
    await demandInside(places, dirname(path));
    // To some file systems names that differ in case are the same: then this would be what was just written.
    const twin = madeAt.get(fold(path));
    if (twin === undefined || !(await isSameFile(join(places.top, path), join(places.top, twin)))) await unlink(join(places.top, path));
  };
  await inLanes(openRemovals.filter(isInTheWay), remove);
  await inLanes(openWrites, (one) => write(one, places));
  await inLanes(
    openRemovals.filter((path) => !isInTheWay(path)),
    remove,
  );
  await removeEmpty(places.top, removals);
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([lstat(a).catch(() => null), lstat(b).catch(() => null)]);
  return one !== null && other !== null && one.dev === other.dev && one.ino === other.ino;
}

async function write(one: Made, places: Places): Promise<void> {
  const place = join(places.top, one.path);
  await makeFolder(places, dirname(one.path));
  await removeHollow(place);
  // The same each time: one that a crash left is replaced.
  const unfinished = join(dirname(place), `.ralph-${createHash('sha256').update(one.path).digest('hex').slice(0, 16)}.tmp`);
  await rm(unfinished, { force: true });
  try {
    if (one.kind === 'link') await symlink(one.link, unfinished);
    else {
      const copied = await copyInPlace(join(places.source, one.path), unfinished, () => true);
      if (copied !== 'copied') throw toLost(one.path);
      await chmod(unfinished, one.mode);
    }
    await rename(unfinished, place);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Makes a folder below the top. What is there of it was looked at before; that was some time ago. */
async function makeFolder(places: Places, folder: string): Promise<void> {
  if (folder !== '.') {
    for (const part of [...listFolders(folder), folder]) {
      await mkdir(join(places.top, part)).catch(async (error: unknown) => {
        if (!(await isFolder(join(places.top, part)))) throw error;
      });
    }
  }
  await demandInside(places, folder);
}

function isFolder(place: string): Promise<boolean> {
  return lstat(place).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** The system is asked for the real way: to it, another case or another form may be the same name. */
async function demandInside({ top, skipped }: Places, folder: string): Promise<void> {
  const real = await realpath(join(top, folder));
  if (real === top || (isWithin(real, top) && isTaken(`${relative(top, real)}/file`, skipped))) return;
  throw new RalphError({
    code: 'panel-workspace',
    what: `A folder of the run leads elsewhere now: ${JSON.stringify(folder)}.`,
    why: 'It was replaced while the work of a panel was being brought into it, and nothing is written outside of the folder of the run.',
    fix: 'Put the folder back, and end what replaces it: ralph resume brings the work in.',
  });
}

function toLost(path: string): RalphError {
  return new RalphError({
    code: 'panel-workspace',
    what: `A file of a snapshot is gone, or is another one now: ${JSON.stringify(path)}.`,
    why: 'Snapshots of a panel are changed by nobody but Ralph, so something else is at work in its state folder.',
    fix: 'End what changes files there; then start the run again.',
  });
}

/** Removes a folder that holds nothing but folders, if it is one. */
async function removeHollow(place: string): Promise<void> {
  if (!(await isFolder(place))) return;
  for (const name of await readdir(place)) await removeHollow(join(place, name));
  await rmdir(place);
}

/** Folders that held what was removed and hold nothing now are gone as well, as they are for git. */
async function removeEmpty(top: string, removed: readonly string[]): Promise<void> {
  const folders = [...new Set(removed.flatMap(listFolders))].sort((a, b) => b.length - a.length);
  for (const folder of folders) {
    const place = join(top, folder);
    if ((await realpath(place).catch(() => null)) === place) await rmdir(place).catch(() => undefined);
  }
}
