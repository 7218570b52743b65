import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseSender, type Sender, toSenderText } from '../core/events/event.ts';
import type { StopRequested } from '../core/run/inputs.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { parseJson } from '../core/values/json.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import { findRun } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { removeTree } from '../process/remove-tree.ts';
import { findLayout } from './find-layout.ts';
import type { Layout } from './layout.ts';
import { findLivingRun } from './living-runs.ts';
import { type FleetPerson, requireFleetPerson, requirePerson } from './people.ts';
import { findHolder, isUnseen } from './run-lock.ts';

/** How long a run that is to stop now may take: its agent has 10 s to clean up. */
const STOP_NOW_MS = 25_000;
const LOOK_EVERY_MS = 100;

/** What a person looks at a run with, and stops it from. */
export type Face = 'view' | 'page';

/** How the journal names a stop from there. */
const STOP_WORDS: Readonly<Record<Face, string>> = { view: 'stop in its view', page: 'stop on its page' };

export interface StopOrder {
  readonly cwd: string;
  /** An id or the beginning of one; absent: the one that is under way. */
  readonly run?: string;
  /** End the running turn too. */
  readonly now: boolean;
  readonly env: Environment;
  /** Where it was ordered; absent: by the command. */
  readonly face?: Face;
  /** Called once, before waiting. */
  readonly onWaiting?: (runId: string) => void;
}

/**
 * Asks a run in another process to stop and waits until it has. Without `now` the turn that runs is finished first, however long that takes.
 *
 * @returns whether it stopped in time (always, without `now`)
 * @throws RalphError `stop-nothing` when no run is under way, `person-refused` for whoever is not known as a person
 */
export async function stopRun(order: StopOrder): Promise<{ readonly runId: string; readonly stopped: boolean }> {
  const layout = findLayout(order.cwd);
  const runId = leaveStopWish(order);
  order.onWaiting?.(runId);
  const askedAt = Date.now();
  for (let holder = findHolder(layout, runId); holder !== null; holder = findHolder(layout, runId)) {
    // Where nobody can see whether it lives, nobody may wait for ever.
    const deadline = order.now || isUnseen(holder) ? askedAt + STOP_NOW_MS : Number.POSITIVE_INFINITY;
    if (Date.now() > deadline) return { runId, stopped: false };
    await pause(LOOK_EVERY_MS);
  }
  return { runId, stopped: true };
}

/**
 * Asks a run to stop, and does not wait.
 *
 * @returns its whole id
 * @throws as {@link stopRun}
 */
export function leaveStopWish(order: StopOrder): string {
  const layout = findLayout(order.cwd);
  const runId = findAlive(layout, order);
  const paths = toRunPaths(layout.stateDir, runId);
  writeStopWish(paths.folder, order.now ? 'now' : 'after', requirePerson(layout, paths, order.env), order.face);
  return runId;
}

/** As {@link leaveStopWish}, for who asks over the fleet that keeps a run. Throws RalphError `person-refused`. */
export function leaveFleetWish(paths: RunPaths, wish: StopWish, who: FleetPerson, face?: Face): void {
  writeStopWish(paths.folder, wish, requireFleetPerson(paths, who), face);
}

function findAlive(layout: Layout, { run, cwd }: StopOrder): string {
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const runId = run === undefined ? findLivingRun(layout, cwd) : findRun(state, run);
  if (runId !== null && findHolder(layout, runId) !== null) return runId;
  throw new RalphError({
    code: 'stop-nothing',
    what: runId === null ? 'No run is under way in this folder.' : `Run ${runId} is not under way.`,
    fix: 'List the runs of this folder: ralph runs. List what a dead run left behind: ralph ps',
  });
}

/** How another process asks a run to stop: `after` the running turn, or `now`. */
export type StopWish = 'after' | 'now';

const FILE = 'stop';
const MAX_BYTES = 4096;

/** Leaves the wish in the run's folder, with whose it is and where it was ordered. It appears whole: half of it would be a wish of nobody. */
export function writeStopWish(runFolder: string, wish: StopWish, sender: Sender, face?: Face): void {
  const draft = join(runFolder, `${FILE}.${process.pid}`);
  removeTree(draft);
  writeFileSync(draft, `${wish}\n${JSON.stringify(sender)}\n${face ?? ''}\n`, { flag: 'wx' });
  const path = join(runFolder, FILE);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) clearStopWish(runFolder);
  renameSync(draft, path);
}

/** Forgets an old wish, whatever stands in its place. Never throws: a run that has ended is not to wait for it. */
export function clearStopWish(runFolder: string): void {
  quietly(() => removeTree(join(runFolder, FILE)));
}

/** A wish as it stands in a run's folder; the sender is `null` where the file does not say whose it is. */
interface LeftWish {
  readonly wish: StopWish;
  readonly sender: Sender | null;
  /** In words, where it was ordered. */
  readonly by: string;
}

/** Takes what is left in the run's folder: each wish of each sender once; `null` when there is nothing new. */
export function createWishReader(runFolder: string): () => LeftWish | null {
  let last = '';
  return () => {
    const text = tryOr(() => readPlain(join(runFolder, FILE)), '');
    if (text === last || text === '') return null;
    last = text;
    const [wish, by = '', face] = text.split('\n');
    return {
      wish: wish === 'now' ? 'now' : 'after',
      sender: parseSender(parseJson(by)),
      by: face === 'view' || face === 'page' ? STOP_WORDS[face] : 'ralph stop',
    };
  };
}

/** A file alone: no link is followed, and no pipe waited for. Throws the system error; the beginning of what is too long. */
function readPlain(path: string): string {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(handle).isFile()) throw new Error('no file');
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.subarray(0, readSync(handle, bytes)).toString('utf8');
  } finally {
    closeSync(handle);
  }
}

/** Takes a wish to stop that was left in the run's folder by somebody whom the run admits; `null` where there is nothing new. */
export function createStopTaker(
  folder: string,
  admit: (sender: Sender | null) => boolean,
  toStop: (how: StopRequested['how'], by: string) => StopRequested,
): () => StopRequested | null {
  const readWish = createWishReader(folder);
  let followed: StopWish | null = null;
  return () => {
    const left = readWish();
    // One that was refused does not count: a person may say the same after it.
    if (left === null || !admit(left.sender) || left.sender === null || left.wish === followed) return null;
    followed = left.wish;
    return toStop(left.wish === 'now' ? 'interrupt' : 'after-iteration', `${left.by} (${toSenderText(left.sender)})`);
  };
}
