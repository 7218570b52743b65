import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Repository } from '../../git/contract.ts';
import { readGitPlaces } from '../../git/git-places.ts';
import { listTrees } from '../../git/trees.ts';

/** The names of one run's trees. Git is told of them a moment later, of several at once; until then they are in a file beside git's own. */
export interface TreeNames {
  /** Once it has returned, no name is lost with a kill. */
  readonly add: (names: ReadonlyMap<string, string>) => void;
  /** Git has all that were added. Never rejects. */
  readonly settle: () => Promise<void>;
}

/** So much later git is told: a process of it costs more than all else around a short turn. Until then a clean-up by an agent may take the trees. */
const LATER_MS = 100;

/** A lost snapshot costs a view of the past, not the work: it need not wait for the disk. */
const UNSYNCED = ['core.fsync=none'];

/**
 * Creates them; names that a process before this one left are told, too.
 *
 * @param ref under which all names of the run are, such as `refs/ralph/20261127-101500`
 * @param onLost called when git has not taken all of them: what they are for may be gone
 */
export function createTreeNames(repository: Pick<Repository, 'git' | 'top' | 'gitDir'>, ref: string, onLost: () => void): TreeNames {
  const path = toPath(repository, ref);
  const waiting = new Map(path === null ? [] : readLines(path, ref));
  let telling: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const tell = async (): Promise<void> => {
    if (waiting.size === 0) return;
    const told = new Map(waiting);
    waiting.clear();
    const refused = (await update(repository, told)) ? [] : await tellSingly(repository, told, onLost);
    // One that came meanwhile under the same name counts.
    for (const [name, tree] of refused) if (!waiting.has(name)) waiting.set(name, tree);
    // What came meanwhile stands behind it in the same file.
    if (path !== null && waiting.size === 0) rmSync(path, { force: true });
  };
  const tellNow = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    telling = telling.then(tell).catch(onLost);
    return telling;
  };
  return {
    add: (names) => {
      for (const [name, tree] of names) waiting.set(name, tree);
      if (path === null || !append(path, names)) return void tellNow();
      timer ??= setTimeout(() => void tellNow(), LATER_MS);
    },
    settle: tellNow,
  };
}

/** Of the trees that git has not been told of by name, those that are there. By the whole name. */
export async function readWaitingNames(
  repository: Pick<Repository, 'git' | 'top' | 'gitDir'>,
  ref: string,
): Promise<ReadonlyMap<string, string>> {
  const path = toPath(repository, ref);
  const waiting = path === null ? new Map<string, string>() : readLines(path, ref);
  return waiting.size === 0 ? waiting : keepThere(repository, waiting);
}

/** Forgets those of which git has not been told. */
export function dropWaitingNames(repository: Pick<Repository, 'top' | 'gitDir'>, ref: string): void {
  const path = toPath(repository, ref);
  if (path === null) return;
  try {
    rmSync(path, { force: true, recursive: true });
    rmdirSync(dirname(path));
  } catch {
    // Another run has names there, or somebody took the right to remove it.
  }
}

/** Where they wait; `null`: what is in that place is no folder, and nothing is written through it. */
function toPath({ top, gitDir }: Pick<Repository, 'top' | 'gitDir'>, ref: string): string | null {
  const folder = join(readGitPlaces(top, gitDir).commonDir, 'ralph');
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats === undefined || stats.isDirectory() ? join(folder, `${ref.slice(ref.lastIndexOf('/') + 1)}.names`) : null;
}

function append(path: string, names: ReadonlyMap<string, string>): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // An agent may have put a link in the place of the folder meanwhile.
    if (!lstatSync(dirname(path)).isDirectory()) return false;
    // An agent may have put anything in its place: a pipe that nobody reads, a second name of another file.
    const file = openSync(path, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.nlink > 1) return false;
      writeSync(file, toUpdates(names));
    } finally {
      closeSync(file);
    }
    return true;
  } catch {
    return false;
  }
}

/** As `git update-ref --stdin` reads them. */
function toUpdates(names: ReadonlyMap<string, string>): string {
  return [...names].map(([name, tree]) => `update ${name} ${tree}\n`).join('');
}

/** What was written last of each name, where it is one of the run's. A line that a kill cut off is none. */
function readLines(path: string, ref: string): Map<string, string> {
  const names = new Map<string, string>();
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return names;
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const [, name = '', tree = ''] = /^update (refs\/ralph\/[\w./-]+) ([0-9a-f]{40}|[0-9a-f]{64})$/.exec(line) ?? [];
    if (name.startsWith(`${ref}/`) && !name.includes('..')) names.set(name, tree);
  }
  return names;
}

async function update({ git }: Pick<Repository, 'git'>, names: ReadonlyMap<string, string>): Promise<boolean> {
  const told = await git(['update-ref', '--stdin'], { input: toUpdates(names), config: UNSYNCED });
  return told.ok;
}

/** Git takes all of several names, or none: then it is told of each by itself. Those that it refused, and that are to be told again: another git may be at work on them. */
async function tellSingly(
  repository: Pick<Repository, 'git'>,
  names: ReadonlyMap<string, string>,
  onLost: () => void,
): Promise<readonly (readonly [string, string])[]> {
  onLost();
  const there = await keepThere(repository, names).catch(() => names);
  const refused: [string, string][] = [];
  for (const [name, tree] of there) if (!(await update(repository, new Map([[name, tree]])))) refused.push([name, tree]);
  return refused;
}

/** Of those whose trees are there: a clean-up may have taken what had no name. */
async function keepThere(repository: Pick<Repository, 'git'>, names: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const there = await listTrees(repository, [...new Set(names.values())]);
  return new Map([...names].filter(([, tree]) => there.has(tree)));
}
