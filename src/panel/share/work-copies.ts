import { existsSync, realpathSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
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
  return {
    open: async (name) => {
      const to = toCopyFolder(made.folder, name);
      await keep(made, name);
      await mkdir(join(made.folder, name), { recursive: true });
      await openWorkspace({ from: made.workspace, to, links: made.links, skipped: made.skipped });
      made.prepare(to);
    },
    takeOver: async (name, isDiscarded) => {
      const work = toCopyFolder(made.folder, name);
      if (!existsSync(work)) return {};
      try {
        const taken = isDiscarded ? await discard(made, name) : await apply(made, name);
        if (taken.conflict === undefined) await removeShared(join(made.folder, name));
        return taken;
      } catch (error) {
        return { conflict: { ...NOTHING, kept: await keep(made, name), why: toErrorMessage(error) } };
      }
    },
  };
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
  const from = join(folder, name);
  await rm(join(from, 'node_modules'), { recursive: true, force: true });
  for (let number = 1; ; number += 1) {
    const kept = `kept-${name}${number === 1 ? '' : `-${number}`}`;
    if (existsSync(join(folder, kept))) continue;
    if (existsSync(from)) await rename(from, join(folder, kept));
    return `copies/${kept}`;
  }
}
