import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { WorkConflict } from '../../core/run/turn.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import type { TakenOver, WorkCopies } from '../../ports/work-copies.ts';
import { applyWork } from './apply-work.ts';
import { openWorkspace } from './open-workspace.ts';
import { planWork, readMade } from './plan-work.ts';
import { removeShared } from './remove-shared.ts';
import { snapshotWork, type WorkSnapshot } from './snapshot-work.ts';
import { readBase, toBasePath, writeBase } from './workspace-base.ts';

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

/** Where the turn of a copy works. */
export function toCopyFolder(folder: string, name: string): string {
  return join(folder, name, 'work');
}

const MAX_NAMED = 20;

/** Creates the copies of a run, but for what is published and asked in them. */
export function createWorkCopies(made: WorkCopiesSettings): Pick<WorkCopies, 'open' | 'takeOver'> {
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
        const taken = isDiscarded ? await discard(made, name) : await apply(made, name);
        if (taken.conflict === undefined) await dropDone(made, name);
        return taken;
      } catch (error) {
        const kept = await keep(made, name).catch(() => `copies/${name}`);
        return { conflict: { ...NOTHING, kept, why: toErrorMessage(error) } };
      }
    },
  };
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

async function apply(made: WorkCopiesSettings, name: string): Promise<TakenOver> {
  const work = await snapshotOf(made, name);
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
async function discard(made: WorkCopiesSettings, name: string): Promise<TakenOver> {
  const { base, snapshot, leftOut } = await snapshotOf(made, name);
  const plan = await planWork(await readBase(base), await readMade(snapshot), realpathSync(made.workspace), !leftOut);
  const paths = [...plan.writes.map(({ path }) => path), ...plan.removals].sort();
  return paths.length === 0 ? {} : { discarded: paths };
}

type Snapshot = WorkSnapshot & Record<'base' | 'snapshot', string>;

async function snapshotOf({ folder }: WorkCopiesSettings, name: string): Promise<Snapshot> {
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
