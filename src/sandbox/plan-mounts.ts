import { dirname } from 'node:path';
import { isWithin, type Mount } from './confinement.ts';

/** A path as it is written and where it really is. */
export interface PlacedPath {
  readonly path: string;
  readonly real: string;
}

/** What the mounts of a turn are made of. Every path is absolute; `real` ones hold no symbolic link. */
export interface MountFacts {
  /** Real paths that exist and are nobody's business: homes, sockets of daemons. */
  readonly hidden: readonly string[];
  /** Real paths of folders whose every folder is a home: none of these is shown whole. */
  readonly homes: readonly string[];
  /** What has to be seen all the same: programs, toolchains, Ralph's own files. */
  readonly needed: readonly PlacedPath[];
  /** Where HOME and the temporary folder of the turn are outside, and what they are called inside. */
  readonly home: { readonly from: string; readonly path: string };
  readonly temp: { readonly from: string; readonly path: string };
  /** Folders of the user's that are seen in the turn's home. */
  readonly homeFolders: readonly Mount[];
  /** The workspace, and whether it may be written. */
  readonly workspace: string;
  readonly isWritable: boolean;
  /** What stands in its place, to be written; absent: nothing. */
  readonly view?: string;
  /** Real paths of git's own folders, which a hat that may write can write wherever they lie, and of the folder they belong to. */
  readonly repository: {
    readonly root: string | null;
    readonly written: readonly string[] /** In these, or in the workspace: what cannot be written. */;
    readonly kept: readonly string[];
  };
  /** Ralph's own folder: covered, but for what is needed of it. */
  readonly stateDir: string;
  /** Folders that may be written in a workspace that may not. */
  readonly writable: readonly string[];
  /** Folders that the person wants to be seen or written. */
  readonly extraReadable: readonly PlacedPath[];
}

/**
 * The mounts of a turn. Pure. What is needed is shown only where something hides it, and nothing is shown that would show a whole home: a program that lies
 * there directly stays out of sight.
 */
export function planMounts(facts: MountFacts): readonly Mount[] {
  const { home, temp, workspace, isWritable, view, stateDir } = facts;
  const shown = listShown(facts);
  return [
    ...facts.hidden.map((path): Mount => ({ kind: 'hidden', path })),
    { kind: 'own', path: temp.path, from: temp.from },
    { kind: 'own', path: home.path, from: home.from },
    ...facts.homeFolders,
    ...shown,
    ...facts.extraReadable.map(({ path, real }): Mount => ({ kind: 'readable', path, from: real })),
    ...(view === undefined
      ? [{ kind: isWritable ? 'writable' : 'readable', path: workspace } as const]
      : [{ kind: 'writable', path: workspace, from: view } as const]),
    ...toRepository(facts),
    { kind: 'hidden', path: stateDir },
    // Again: what is needed may lie in the workspace or in Ralph's folder, and of two for one path the later counts.
    ...shown.filter(({ path }) => isWithin(path, stateDir)),
    ...facts.writable.map((path): Mount => ({ kind: 'writable', path })),
  ];
}

/** Whether showing a path would show a whole home, or what is hidden. */
function isTooMuch({ hidden, homes, home, temp }: MountFacts, path: string): boolean {
  const covers = [...hidden, home.path, temp.path];
  return path === '/' || covers.some((cover) => isWithin(cover, path)) || homes.some((root) => dirname(path) === root);
}

function listShown(facts: MountFacts): readonly Mount[] {
  const { hidden, home, temp, needed, stateDir, workspace, isWritable } = facts;
  const covers = [...hidden, home.path, temp.path, stateDir];
  const isCovered = (path: string): boolean => covers.some((cover) => isWithin(path, cover));
  const tooMuch = (path: string): boolean => isTooMuch(facts, path);
  const hasShownFolder = (path: string): boolean =>
    needed.some((other) => other.path !== path && isWithin(path, other.path) && other.path === other.real && !tooMuch(other.path));
  // What may be written is seen; shown once more it could only be read.
  const open = [
    ...(isWritable ? [workspace] : []),
    ...toRepository(facts).flatMap(({ kind, path }) => (kind === 'writable' ? [path] : [])),
  ];
  const isOpen = (path: string): boolean =>
    open.some((folder) => isWithin(path, folder) && !(isWithin(stateDir, folder) && isWithin(path, stateDir)));
  return needed
    .filter(({ path, real }) => (isCovered(path) || isCovered(real)) && !tooMuch(real) && !tooMuch(path))
    .flatMap(({ path, real }): readonly Mount[] => [
      { kind: 'readable', path: real },
      // A link in a folder that is shown is there already, and nothing can be put over it.
      ...(path === real || hasShownFolder(path) ? [] : [{ kind: 'readable', path, from: real } as const]),
    ])
    .filter(({ path }) => !isOpen(path));
}

/** A commit writes here. Not where the repository is a whole home: its hooks would run for everything else that is done in it. */
function toRepository(facts: MountFacts): readonly Mount[] {
  const { root, written } = facts.repository;
  if (!facts.isWritable || root === null || isTooMuch(facts, root)) return [];
  const paths = written.filter((path) => !isWithin(path, facts.workspace) && !isTooMuch(facts, path));
  const kept = facts.repository.kept.map((path): Mount => ({ kind: 'readable', path }));
  return [...paths.map((path): Mount => ({ kind: 'writable', path })), ...kept];
}
