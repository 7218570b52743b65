import { constants, copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Isolation, Program, ViewedProgram, ViewMount } from '../ports/index.ts';
import { listMounts, makeOwnedFolder, removeTree, runCommand, sweepOwnedFolders } from '../process/index.ts';
import { isWithin } from './confinement.ts';
import { canCopyTree, copyTree } from './copy-tree.ts';
import { toInnerUser } from './inner-user.ts';
import type { OsSandboxSearch } from './os-sandbox.ts';
import { planBubblewrap } from './plan-bubblewrap.ts';

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
 * The same beforehand, where no turn has a folder of its own yet. Leaves nothing. Never rejects.
 *
 * @returns `null` where there would be no view: the workspace is too large to be copied
 */
export async function predictViewKind(place: Omit<ViewPlace, 'own'>): Promise<ViewKind | null> {
  const { workspace } = place;
  sweepViews(place);
  let folder: string;
  try {
    // Where there is no folder of Ralph's own yet, one beside it would be.
    folder = makeOwnedFolder(existsSync(place.stateDir) ? place.stateDir : workspace, TRIAL_FOLDER);
  } catch {
    return 'copy';
  }
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

/** What cannot be removed stays: it says nothing of how a view can be made. */
function tryRemove(folder: string): void {
  try {
    removeTree(folder);
  } catch {
    return;
  }
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
  const result = await runCommand({
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
  try {
    writeFileSync(join(folder, 'a'), 'a');
    copyFileSync(join(folder, 'a'), join(folder, 'b'), constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
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
