import { constants, copyFileSync, existsSync, mkdirSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { isWithin } from '../core/text/is-within.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import type { Isolation, Program, ViewedProgram, ViewMount } from '../ports/program.ts';
import { makeOwnedFolder, sweepOwnedFolders } from '../process/owned-folders.ts';
import { listMounts, removeTree } from '../process/remove-tree.ts';
import { runToEnd } from '../process/start-process.ts';
import { planBubblewrap, toInnerUser } from './plan-confinement.ts';
import type { OsSandboxSearch } from './turn-sandbox.ts';

/** How the view is made: by the kernel, by a copy that shares what nobody changes, by a plain copy. */
export type ViewKind = 'overlay' | 'clone' | 'copy';

/** Most bytes that are copied where the file system cannot share them. */
const MAX_COPIED_BYTES = 500_000_000;

/** What a view is made from. Paths are absolute. */
export interface ViewPlace {
  /** A real path. */
  readonly workspace: string;
  readonly stateDir: string;
  /** What the turn has of its own: the view is made in it, and has to be removed with it. */
  readonly own: string;
  /** Absent: no namespaces, so no overlay. */
  readonly isolation?: Isolation | undefined;
  /** What stands around the checks; `found: null`: nothing does. */
  readonly os: OsSandboxSearch;
}

const TRIAL_NAME = '.ralph-view-trial';
const TRIAL = 'mkdir "$1" && cd "$2" && rm -r d && mkdir d && test -z "$(ls d)"';
const TRIAL_MS = 10_000;

/** Finds out by trying how a view of the workspace can be made here. Leaves nothing. Never rejects. */
export async function findViewKind(place: ViewPlace): Promise<ViewKind> {
  const folder = join(place.own, 'trial');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (await canOverlay(place, folder)) return 'overlay';
    return canClone(folder) ? 'clone' : 'copy';
  } catch {
    return 'copy';
  } finally {
    tryRemove(folder);
  }
}

/**
 * As {@link findViewKind}, before any turn has a folder of its own. Leaves nothing. Never rejects.
 *
 * @returns `null` where there would be no view: the workspace is too large to be copied
 */
export async function predictViewKind(place: Omit<ViewPlace, 'own'>): Promise<ViewKind | null> {
  const { workspace } = place;
  sweepViews(place);
  // Where there is no folder of Ralph's own yet, one beside it would be.
  const folder = tryOr(() => makeOwnedFolder(existsSync(place.stateDir) ? place.stateDir : workspace, TRIAL_FOLDER), null);
  if (folder === null) return 'copy';
  try {
    const stateDir = existsSync(place.stateDir) ? place.stateDir : folder;
    const kind = await findViewKind({ ...place, stateDir, own: join(folder, 'own') });
    return kind !== 'copy' || (await canCopyTree(workspace, { leftOut: stateDir, maxBytes: MAX_COPIED_BYTES })) ? kind : null;
  } finally {
    tryRemove(folder);
  }
}

const TRIAL_FOLDER = '.ralph-view-';

/** Removes what a process left that was killed while it tried how a view can be made. Never throws. */
export function sweepViews({ workspace, stateDir }: Pick<ViewPlace, 'workspace' | 'stateDir'>): void {
  for (const parent of [workspace, stateDir]) sweepOwnedFolders(parent, TRIAL_FOLDER);
}

/** Removes a trial folder. One that cannot be removed stays: that says nothing of how a view can be made. */
function tryRemove(folder: string): void {
  quietly(() => removeTree(folder));
}

/** Beside the workspace a folder of the trial's own, for what needs files that are there already. */
async function canOverlay({ workspace, stateDir, own, isolation, os }: ViewPlace, folder: string): Promise<boolean> {
  const lower = join(folder, 'lower');
  if (isolation === undefined || /[,:\\"]/.test(workspace + folder)) return false;
  mkdirSync(join(lower, 'd'), { recursive: true });
  writeFileSync(join(lower, 'd', 'file'), '');
  const inside = planOverlay({ workspace, stateDir, own, isolation }, folder);
  const beside = makeLayer(lower, lower, join(folder, 'beside'));
  const words = ['/bin/sh', '-c', TRIAL, 'sh', TRIAL_NAME, lower];
  const mounts = [workspace, lower].map((path) => ({ kind: 'writable', path }) as const);
  const around =
    os.found?.kind === 'bubblewrap'
      ? [os.found.path, ...planBubblewrap({ mounts, cwd: workspace, hasNetwork: true, ...toInnerUser() })]
      : [];
  const [command = '', ...args] = [...around, ...words];
  const result = await runToEnd({
    command,
    args,
    cwd: workspace,
    env: { PATH: '/usr/bin:/bin' },
    isolation: { ...inside, view: [beside, ...(inside.view ?? [])] },
    timeoutMs: TRIAL_MS,
  });
  return result.exitCode === 0 && !existsSync(join(workspace, TRIAL_NAME)) && existsSync(join(lower, 'd', 'file'));
}

function canClone(folder: string): boolean {
  return tryOr(() => {
    writeFileSync(join(folder, 'a'), 'a');
    copyFileSync(join(folder, 'a'), join(folder, 'b'), constants.COPYFILE_FICLONE_FORCE);
    return true;
  }, false);
}

/**
 * The namespaces in which the workspace is a view of itself: what is written goes below `folder`. The view is put together there and
 * then put over the workspace, since what is needed for it may lie in the workspace.
 */
function planOverlay(
  { workspace, stateDir, own, isolation }: Omit<ViewPlace, 'os'> & { readonly isolation: Isolation },
  folder: string,
): Isolation {
  const path = join(folder, 'view');
  mkdirSync(path, { recursive: true });
  // The kernel does not show what is mounted in a folder below it.
  const inner = listMountedFolders(workspace).filter((mount) => !isWithin(mount, stateDir));
  const view: readonly ViewMount[] = [
    makeLayer(workspace, path, join(folder, 'layer')),
    ...inner.map((mount, index) => makeLayer(mount, join(path, relative(workspace, mount)), join(folder, `layer${index}`))),
    ...showState(workspace, stateDir, path),
    { kind: 'bind', from: path, path: workspace, isReadOnly: false },
  ];
  return { ...isolation, writable: [...isolation.writable, own], view };
}

function makeLayer(lower: string, path: string, folder: string): ViewMount {
  const [upper, work] = [join(folder, 'upper'), join(folder, 'work')];
  for (const made of [upper, work]) mkdirSync(made, { recursive: true });
  return { kind: 'overlay', lower, upper, work, path };
}

/** Ralph's own folder is seen as it is. */
function showState(workspace: string, stateDir: string, view: string): readonly ViewMount[] {
  if (!isWithin(stateDir, workspace) || stateDir === workspace) return [];
  return [{ kind: 'bind', from: stateDir, path: join(view, relative(workspace, stateDir)), isReadOnly: true }];
}

/** The folders below one on which something is mounted, outer ones first. */
function listMountedFolders(folder: string): readonly string[] {
  return listMounts(folder).filter((path) => path !== folder && statSync(path).isDirectory());
}

/** Puts the sandbox around a program, to which `view` is shown in the place of the workspace. */
type Confine = (program: Program, view: string) => Program;

/**
 * Makes what runs programs in the view of one turn; the view is made with the first of them.
 * `null` where the workspace is too large to be copied. What it returns rejects as `confine` throws.
 */
export function createView(kind: ViewKind, place: ViewPlace, confine: Confine): (program: Program) => Promise<ViewedProgram | null> {
  const { workspace, stateDir, own, isolation, os } = place;
  const folder = join(own, 'view');
  let overlay: Isolation | undefined;
  let copied: Promise<boolean> | undefined;
  const copy = join(folder, 'view');
  return async (program) => {
    const cwd = program.cwd ?? workspace;
    if (kind === 'overlay' && isolation !== undefined) {
      overlay ??= planOverlay({ workspace, stateDir, own, isolation }, folder);
      return { ...confine({ ...program, cwd }, workspace), cwd, isolation: overlay };
    }
    copied ??= copyTree(workspace, copy, { leftOut: stateDir, maxBytes: kind === 'clone' ? Number.POSITIVE_INFINITY : MAX_COPIED_BYTES });
    if (!(await copied)) return null;
    if (isolation !== undefined) {
      const shown = showState(workspace, stateDir, copy);
      for (const { path } of shown) mkdirSync(path, { recursive: true });
      const view: readonly ViewMount[] = [...shown, { kind: 'bind', from: copy, path: workspace, isReadOnly: false }];
      const inside = { ...isolation, writable: [...isolation.writable, own], view };
      return { ...confine({ ...program, cwd }, workspace), cwd, isolation: inside };
    }
    const isShownInPlace = os.found?.kind === 'bubblewrap';
    const inner = isShownInPlace ? cwd : join(copy, relative(workspace, cwd));
    return { ...confine({ ...program, cwd: inner }, copy), cwd: isShownInPlace ? workspace : inner };
  };
}

const MAX_FILES = 500_000;

interface CopyRules {
  /** Absolute: not copied. */
  readonly leftOut: string;
  readonly maxBytes: number;
}

interface ViewEntry {
  readonly path: string;
  readonly stats: Stats;
}

/**
 * Copies a folder with its files, links and times; files share their content with the original where the file system can do that. A link that names a path
 * in the folder leads into the copy. Sockets and the like, and what cannot be read, are left out.
 *
 * @returns false where it is too large, or cannot be written; what was copied by then stays
 */
export async function copyTree(from: string, to: string, { leftOut, maxBytes }: CopyRules): Promise<boolean> {
  const entries = await listEntries(from, leftOut, maxBytes);
  if (entries === null) return false;
  try {
    await mkdir(to, { recursive: true });
    for (const { path, stats } of entries) if (stats.isDirectory()) await mkdir(join(to, relative(from, path)), { recursive: true });
    const rest = entries.filter(({ stats }) => !stats.isDirectory());
    let next = 0;
    const work = async (): Promise<void> => {
      for (let entry = rest[next++]; entry !== undefined; entry = rest[next++]) await copyEntry(entry, from, to);
    };
    await Promise.all([work(), work(), work(), work()]);
    for (const { path, stats } of entries) if (stats.isDirectory()) await chmod(join(to, relative(from, path)), stats.mode | 0o700);
    return true;
  } catch {
    return false;
  }
}

/** Whether a folder is small enough to be copied. Writes nothing. */
async function canCopyTree(from: string, { leftOut, maxBytes }: CopyRules): Promise<boolean> {
  return (await listEntries(from, leftOut, maxBytes)) !== null;
}

async function listEntries(root: string, leftOut: string, maxBytes: number): Promise<readonly ViewEntry[] | null> {
  const entries: ViewEntry[] = [];
  const waiting = [root];
  let bytes = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const stats = path === leftOut ? null : await lstat(path).catch(() => null);
      if (stats === null || !(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink())) continue;
      if (stats.isDirectory()) waiting.push(path);
      bytes += stats.isFile() ? stats.size : 0;
      entries.push({ path, stats });
      if (bytes > maxBytes || entries.length > MAX_FILES) return null;
    }
  }
  return entries;
}

async function copyEntry({ path, stats }: ViewEntry, from: string, to: string): Promise<void> {
  const target = join(to, relative(from, path));
  try {
    if (stats.isSymbolicLink()) {
      const leads = await readlink(path);
      await symlink(isAbsolute(leads) && isWithin(leads, from) ? join(to, relative(from, leads)) : leads, target);
    } else {
      await copyFile(path, target, constants.COPYFILE_FICLONE);
      await utimes(target, stats.atime, stats.mtime);
    }
  } catch (error) {
    // It is gone by now, or nobody but its owner may read it: a check that needs it says so.
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES');
}
