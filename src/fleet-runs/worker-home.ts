import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { toShellWord } from '../core/text/shell-word.ts';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { isAlive, processStartTime } from '../process/process-table.ts';
import { removeTree } from '../process/remove-tree.ts';
import { findLayout } from '../runs/find-layout.ts';
import { findLivingRun } from '../runs/living-runs.ts';
import { reapRun } from '../runs/processes.ts';

const FILE = 'worker.json';
/** Folders of runs that the worker goes on with. */
export const STOOD_IN = 'runs';

/** What programs of a worker are marked with: others of its name may be on the same machine, for other fleets. */
export function toWorkerMark({ id, token }: Pick<Owner, 'id' | 'token'>): string {
  return `${id}-${token.slice(0, 8)}`;
}

/**
 * Takes a folder for a worker. What a killed one left there is ended and removed: its programs must not go on beside those of this one.
 *
 * @param given the token that a new folder gets
 * @returns the token of the folder, by which a fleet knows its worker again
 * @throws RalphError `worker-home` where a worker that lives has it, or somebody else's files are in it; the system error
 */
export async function openWorkerHome(home: string, id: string, given?: string): Promise<string> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const left = readOwner(home);
  if (left === null && readdirSync(home).length > 0) {
    throw new RalphError({
      code: 'worker-home',
      what: `The folder ${home} is not empty, and no worker of Ralph made it.`,
      why: 'A worker removes what it finds in its folder.',
      fix: 'Name another one: --home <folder>',
    });
  }
  if (left !== null && isAlive(left)) {
    throw new RalphError({
      code: 'worker-home',
      what: `The worker ${left.id} (process ${left.pid}) works in ${home}.`,
      fix: toBeside(home, id, left.id),
    });
  }
  if (left !== null) await clear(home, left);
  const token = left?.token ?? given ?? randomUUID();
  const owner = { id, token, pid: process.pid, startTime: processStartTime(process.pid) };
  writeFileSync(join(home, FILE), `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  return token;
}

/** How a worker is started beside one that lives: the name goes with its folder where nobody said otherwise. */
function toBeside(home: string, id: string, living: string): string {
  const isOfItsName = basename(home) === living;
  const name = id === living ? ` --name ${toNextName(id)}` : '';
  const folder = isOfItsName && name !== '' ? '' : ` --home ${toShellWord(`${home}-2`)}`;
  return `Beside that one, with your other options: ralph worker${name}${folder}\nFor more turns at once on that one: --slots`;
}

/** `gpu-2` for `gpu`, `gpu-3` for `gpu-2` */
export function toNextName(id: string): string {
  const [, stem = id, count = '1'] = /^(.*)-(\d{1,3})$/.exec(id) ?? [];
  return `${stem.slice(0, 50)}-${Number(count) + 1}`;
}

/**
 * Ends and removes what workers left that were killed, of all folders in one.
 *
 * @returns those whose folders are gone
 */
export async function sweepWorkerHomes(folder: string): Promise<readonly Pick<Owner, 'id' | 'token'>[]> {
  if (!existsSync(folder)) return [];
  const swept: Owner[] = [];
  for (const name of readdirSync(folder)) {
    const owner = readOwner(join(folder, name));
    if (owner === null || isAlive(owner)) continue;
    await clear(join(folder, name), owner);
    if (listLiving(join(folder, name)).length > 0) continue;
    removeTree(join(folder, name));
    swept.push(owner);
  }
  return swept;
}

/**
 * Removes what a worker has made, when it is over.
 *
 * @param isOwn the folder itself is its own, too: nobody named it
 */
export function closeWorkerHome(home: string, isOwn: boolean): void {
  for (const name of readdirSync(home)) removeTree(join(home, name));
  if (isOwn) removeTree(home);
}

async function clear(home: string, owner: Owner): Promise<void> {
  await reapRun(toWorkerMark(owner));
  const living = listLiving(home);
  for (const name of readdirSync(home)) {
    if (name === FILE || (name === STOOD_IN && living.length > 0)) continue;
    removeTree(join(home, name));
  }
}

/** Folders of runs that a killed worker went on with, whose own process is still there: it has the run. */
function listLiving(home: string): readonly string[] {
  const folder = join(home, STOOD_IN);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => {
    const layout = findLayout(join(folder, name));
    return findLivingRun(layout, layout.root) !== null;
  });
}

interface Owner {
  readonly id: string;
  readonly token: string;
  readonly pid: number;
  readonly startTime: string;
}

function readOwner(home: string): Owner | null {
  const path = join(home, FILE);
  const value = existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : null;
  if (!isJsonObject(value)) return null;
  const { id, token, pid, startTime } = value;
  const isNamed = typeof id === 'string' && typeof token === 'string';
  return isNamed && typeof pid === 'number' && typeof startTime === 'string' ? { id, token, pid, startTime } : null;
}
