import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Repository } from '../../git/contract.ts';
import { demandGit } from '../../git/git.ts';
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
async function readWaitingNames(repository: Pick<Repository, 'git' | 'top' | 'gitDir'>, ref: string): Promise<ReadonlyMap<string, string>> {
  const path = toPath(repository, ref);
  const waiting = path === null ? new Map<string, string>() : readLines(path, ref);
  return waiting.size === 0 ? waiting : keepThere(repository, waiting);
}

/** Forgets those of which git has not been told. */
function dropWaitingNames(repository: Pick<Repository, 'top' | 'gitDir'>, ref: string): void {
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

/**
 * Before or after the work of a turn. `opened`: when a turn began whose work comes into the folder at its end only, so that `before` is of later; what changed between
 * the two is not its work.
 */
export type SnapshotMoment = 'opened' | 'before' | 'after';

const NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The names under which a run's trees are kept; undefined for a run or turn whose name is none for git. */
export function toSnapshotRef(runId: string, turn?: string, moment?: SnapshotMoment): string | undefined {
  const parts = [runId, ...(turn === undefined ? [] : [turn])];
  if (!parts.every((part) => NAME.test(part) && !part.endsWith('.lock'))) return undefined;
  return ['refs/ralph', ...parts, ...(moment === undefined ? [] : [moment])].join('/');
}

/**
 * The files that these turns changed, in their order, sorted. A turn that was killed has no snapshot of its end: what is between the last one before it
 * and the first one after it counts as its work.
 *
 * @param turns names such as `7.1`, oldest first
 * @returns null when that is not known of each of them
 */
export async function listChangedFiles(repository: Repository, runId: string, turns: readonly string[]): Promise<readonly string[] | null> {
  const trees = await readTrees(repository, runId);
  const pairs: string[] = [];
  let last: string | undefined;
  let isLost = false;
  for (const turn of turns) {
    const before = readBefore(trees, turn);
    const after = trees.get(`${turn}/after`);
    const seen = before ?? after;
    // Its beginning is lost, or the end of the one before it: all from the last tree that is known counts.
    if (seen !== undefined && (isLost || before === undefined)) {
      if (last === undefined) return null;
      pairs.push(`${last} ${seen}\n`);
      isLost = false;
    }
    if (before !== undefined && after !== undefined) pairs.push(`${before} ${after}\n`);
    isLost ||= after === undefined;
    last = after ?? before ?? last;
  }
  if (isLost) return null;
  const result = await repository.git(['diff-tree', '-r', '-z', '--name-only', '--stdin'], { input: pairs.join('') });
  return result.ok ? toNames(result.stdout) : null;
}

/** The tree before the work of a turn; where it was killed before it had made any, that with which it began. */
export function readBefore(trees: ReadonlyMap<string, string>, turn: string): string | undefined {
  return trees.get(`${turn}/before`) ?? trees.get(`${turn}/opened`);
}

/** Git writes each pair of trees on a line, then each name with a zero byte behind it. */
function toNames(output: string): readonly string[] {
  const names = output.split('\0').map((name) => name.replace(/^(?:[0-9a-f]{40,64} [0-9a-f]{40,64}\n)+/, ''));
  return [...new Set(names)].filter((name) => name !== '').sort();
}

/** By turn and moment, such as `7.1/before`. */
export async function readTrees(repository: Repository, runId: string): Promise<ReadonlyMap<string, string>> {
  const folder = toSnapshotRef(runId);
  if (folder === undefined) return new Map();
  // First, for what waits meanwhile is told to git and then gone.
  const waiting = await readWaitingNames(repository, folder);
  const listed = await repository.git(['for-each-ref', '--format=%(objectname) %(refname:lstrip=3)', `${folder}/`]);
  const lines = listed.ok ? listed.stdout.split('\n').filter((line) => line !== '') : [];
  const known = lines.map((line): [string, string] => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]);
  return new Map([...known, ...[...waiting].map(([name, tree]): [string, string] => [name.slice(folder.length + 1), tree])]);
}

/** Gives trees the names of moments of a run, such as `7.1/before`, as if they had been taken here. One that is not there has none. Never rejects. */
export async function nameTrees(repository: Repository, runId: string, trees: ReadonlyMap<string, string>): Promise<void> {
  const folder = toSnapshotRef(runId);
  if (folder === undefined || trees.size === 0) return;
  const names = createTreeNames(repository, folder, () => undefined);
  names.add(new Map([...trees].map(([name, tree]) => [`${folder}/${name}`, tree])));
  await names.settle();
}

/** Takes back the names of a run's snapshots; git's own clean-up removes what they kept. The number of names. */
export async function dropSnapshots(repository: Repository, runId: string): Promise<number> {
  const folder = toSnapshotRef(runId);
  if (folder === undefined) return 0;
  dropWaitingNames(repository, folder);
  const listed = await demandGit(repository.git, ['for-each-ref', '--format=%(refname)', `${folder}/`]);
  const names = listed.split('\n').filter((name) => name !== '');
  const input = names.map((name) => `delete ${name}\n`).join('');
  if (names.length > 0) await demandGit(repository.git, ['update-ref', '--stdin'], { input });
  return names.length;
}
