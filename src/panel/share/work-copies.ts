import { chmodSync, existsSync, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import type { WorkConflict } from '../../core/run/turn.ts';
import { toErrorCode, toErrorMessage } from '../../core/values/errors.ts';
import type { TakenOver, WorkCopies } from '../../ports/work-copies.ts';
import { applyWork } from './apply-work.ts';
import { hashFile } from './hash-file.ts';
import { openWorkspace } from './open-workspace.ts';
import { planWork, readMade } from './plan-work.ts';
import { removeShared } from './remove-shared.ts';
import { snapshotWork, type WorkSnapshot } from './snapshot-work.ts';
import { type BaseFile, type BaseLink, readBase, toBasePath, writeBase } from './workspace-base.ts';

/** Where copies of a run's folder are made. */
export interface WorkCopiesSettings {
  /** Of all copies of the run; absolute. */
  readonly folder: string;
  /** The folder that the run works in; absolute. */
  readonly workspace: string;
  /** Paths in it that are linked instead of copied, such as `node_modules`. */
  readonly links: readonly string[];
  /** Paths in it that are no work: the folder for state. */
  readonly skipped: readonly string[];
  /** Which of these paths git ignores; none where nobody can tell. Never rejects. */
  readonly listIgnored: (paths: readonly string[]) => Promise<readonly string[]>;
  /** Makes in a copy what agents have there beside the work. */
  readonly prepare: (copy: string) => void;
}

/** The name of the folder in that of a run in which copies are made. */
export const COPIES = 'copies';

/** Where the turn of a copy works. */
export function toCopyFolder(folder: string, name: string): string {
  return join(folder, name, 'work');
}

const MAX_NAMED = 20;

/** Work that was made elsewhere, in a folder that was as this one. */
export interface BroughtWork {
  /** What was made, changed or removed; paths relative to the folder. */
  readonly paths: readonly BroughtPath[];
  /** Writes these files, but for those that were removed, below a folder that is empty. */
  readonly write: (to: string) => void;
  /** As of `takeOver`. */
  readonly isDiscarded: boolean;
}

export interface BroughtPath {
  readonly path: string;
  /** There was no such file where it was made. */
  readonly isNew: boolean;
  /** Somebody has changed it here meanwhile. */
  readonly isTouched: boolean;
}

/** The copies of a run, but for what is published and asked in them. */
export interface RunCopies extends Pick<WorkCopies, 'open' | 'takeOver'> {
  /** Brings work into the folder that was made in none of its copies, as `takeOver` does. Never rejects. */
  readonly bring: (name: string, work: BroughtWork) => Promise<TakenOver>;
}

/** Creates the copies of a run. */
export function createWorkCopies(made: WorkCopiesSettings): RunCopies {
  const opened = new Set<string>();
  return {
    open: async (name) => {
      const to = toCopyFolder(made.folder, name);
      if (existsSync(join(made.folder, name))) await keep(made, name);
      await mkdir(join(made.folder, name), { recursive: true });
      await openWorkspace({ from: made.workspace, to, links: made.links, skipped: made.skipped });
      opened.add(name);
      made.prepare(to);
    },
    takeOver: async (name, isDiscarded) => {
      try {
        const state = await findState(made, name, opened.delete(name));
        if (state === 'none') {
          await dropDone(made, name);
          return {};
        }
        if (state === 'gone') return { conflict: { ...NOTHING, kept: await keep(made, name), why: GONE } };
        return await take(made, name, await snapshotOf(made, name), isDiscarded);
      } catch (error) {
        return toFailed(made, name, error);
      }
    },
    bring: async (name, work) => {
      try {
        return await take(made, name, await unpack(made, name, work), work.isDiscarded);
      } catch (error) {
        return toFailed(made, name, error);
      }
    },
  };
}

async function take(made: WorkCopiesSettings, name: string, work: CopySnapshot, isDiscarded: boolean): Promise<TakenOver> {
  const taken = isDiscarded ? await discard(made, work) : await apply(made, name, work);
  if (taken.conflict === undefined) await dropDone(made, name);
  return taken;
}

async function toFailed(made: WorkCopiesSettings, name: string, error: unknown): Promise<TakenOver> {
  const kept = await keep(made, name).catch(() => `copies/${name}`);
  return { conflict: { ...NOTHING, kept, why: toErrorMessage(error) } };
}

/** Makes of it what a copy and its snapshot would be, with nothing in it but what was changed. */
async function unpack(
  { folder, workspace, links, skipped }: WorkCopiesSettings,
  name: string,
  { paths, write }: BroughtWork,
): Promise<CopySnapshot> {
  const work = toCopyFolder(folder, name);
  const own = join(folder, name);
  // Of a process that was killed while it brought the same.
  if (existsSync(own)) await removeShared(own);
  await mkdir(work, { recursive: true });
  write(work);
  const base = new Map<string, BaseFile | BaseLink>();
  for (const { path, isNew, isTouched } of paths) {
    const here = isNew ? null : await readBaseEntry(workspace, path);
    if (here !== null && 'mode' in here) keepRights(join(work, path), here.mode);
    if (isTouched && !isNew) base.set(path, OTHER);
    else if (here !== null) base.set(path, here);
  }
  await writeBase(toBasePath(work), { skipped: [...skipped, ...links], files: base });
  return { base: toBasePath(work), snapshot: work, leftOut: false, isTooLarge: false };
}

/** No file is as this one. */
const OTHER: BaseFile = { size: -1, mtimeMs: 0, mode: 0, hash: '' };

/** As a file is now; `null` for none. */
async function readBaseEntry(top: string, path: string): Promise<BaseFile | BaseLink | null> {
  const place = join(top, path);
  const stats = lookAt(place);
  // Said to lead to the top, which is always there: what it leads to need not have come along.
  if (stats?.isSymbolicLink() === true) return { link: readlinkSync(place), shown: posix.relative(posix.dirname(path), '.') || '.' };
  if (stats?.isFile() !== true) return null;
  return { size: stats.size, mtimeMs: stats.mtimeMs, mode: stats.mode & 0o777, hash: await hashFile(place, stats.size) };
}

/** `null` also where a file stands on the way. */
function lookAt(place: string): Stats | null {
  try {
    return lstatSync(place);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(toErrorCode(error))) return null;
    throw error;
  }
}

/** Git says of a file only whether it can be run: the rest of the rights is as it was here. */
function keepRights(place: string, mode: number): void {
  const stats = lookAt(place);
  if (stats?.isFile() === true && (stats.mode & 0o100) === (mode & 0o100)) chmodSync(place, mode);
}

const GONE = 'its folder was removed while it worked there';

/**
 * What there is to be taken over: a copy; none, as it was taken over before, or never made to its end; or one that was made and is not there. One that a
 * process before this one kept is put back: that it is kept may be in no journal.
 */
async function findState({ folder }: WorkCopiesSettings, name: string, isOpened: boolean): Promise<'there' | 'none' | 'gone'> {
  const [own, work] = [join(folder, name), toCopyFolder(folder, name)];
  if (existsSync(work)) return 'there';
  if (isOpened) return 'gone';
  const kept = existsSync(own) ? null : findKept(folder, name);
  if (kept !== null) {
    await rename(kept, own);
    return existsSync(work) ? 'there' : 'gone';
  }
  return existsSync(toBasePath(work)) && !existsSync(`${work}.tmp`) ? 'gone' : 'none';
}

/** The last that was kept. */
function findKept(folder: string, name: string): string | null {
  let last: string | null = null;
  for (let number = 1; existsSync(toNumbered(folder, 'kept', name, number)); number += 1) last = toNumbered(folder, 'kept', name, number);
  return last;
}

function toNumbered(folder: string, prefix: string, name: string, number: number): string {
  return join(folder, `${prefix}-${name}${number === 1 ? '' : `-${number}`}`);
}

/** Gives a copy, if it is there, a name that is not there yet; returns it. */
async function moveAway(folder: string, prefix: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const to = toNumbered(folder, prefix, name, number);
    if (existsSync(to)) continue;
    if (existsSync(join(folder, name))) await rename(join(folder, name), to);
    return basename(to);
  }
}

/**
 * Removes a copy that was taken over, and what is left of others. It gets another name first: its work is in the folder, whether it can be removed or not,
 * and whatever becomes of this process.
 */
async function dropDone({ folder }: WorkCopiesSettings, name: string): Promise<void> {
  await moveAway(folder, 'done', name).catch(() => undefined);
  const names = await readdir(folder).catch(() => []);
  for (const done of names.filter((one) => one.startsWith('done-'))) await removeShared(join(folder, done)).catch(() => undefined);
}

const NOTHING = { paths: [], total: 0 } as const;

async function apply(made: WorkCopiesSettings, name: string, work: CopySnapshot): Promise<TakenOver> {
  if (work.isTooLarge) return { conflict: { ...NOTHING, kept: await keep(made, name), why: 'it is too large' } };
  const { base, snapshot, leftOut } = work;
  const order = { base, snapshot, to: made.workspace, leftOut };
  const { conflicts } = await applyWork(order);
  if (conflicts.length === 0) return {};
  const ignored = await made.listIgnored(conflicts);
  const real = conflicts.filter((path) => !ignored.includes(path));
  if (real.length > 0) return { conflict: toConflict(real, await keep(made, name)) };
  // What git ignores is made again by whoever needs it, such as a report of tests: the folder keeps what it has.
  const known = await readBase(base);
  await writeBase(base, { ...known, skipped: [...known.skipped, ...ignored] });
  const again = await applyWork(order);
  return again.conflicts.length === 0 ? {} : { conflict: toConflict(again.conflicts, await keep(made, name)) };
}

/** Names what was changed in a copy of which nothing is brought in. */
async function discard(made: WorkCopiesSettings, { base, snapshot, leftOut }: CopySnapshot): Promise<TakenOver> {
  const plan = await planWork(await readBase(base), await readMade(snapshot), realpathSync(made.workspace), !leftOut);
  const paths = [...plan.writes.map(({ path }) => path), ...plan.removals].sort();
  return paths.length === 0 ? {} : { discarded: paths };
}

type CopySnapshot = WorkSnapshot & Record<'base' | 'snapshot', string>;

async function snapshotOf({ folder }: WorkCopiesSettings, name: string): Promise<CopySnapshot> {
  const work = toCopyFolder(folder, name);
  // Whoever looks for tests passes over folders of this name.
  const snapshot = join(folder, name, 'node_modules', 'made');
  return { ...(await snapshotWork(work, snapshot)), base: toBasePath(work), snapshot };
}

function toConflict(paths: readonly string[], kept: string): WorkConflict {
  return { paths: paths.slice(0, MAX_NAMED), total: paths.length, kept };
}

/** Gives a copy another name, if it is there, so that nothing is lost when the name is used again. */
async function keep({ folder }: WorkCopiesSettings, name: string): Promise<string> {
  await rm(join(folder, name, 'node_modules'), { recursive: true, force: true });
  return `copies/${await moveAway(folder, 'kept', name)}`;
}
