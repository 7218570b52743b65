import { dirname } from 'node:path';
import { isWithin } from '../core/text/is-within.ts';

/** One place of the file system inside the sandbox. All paths are absolute and real: no symbolic link is in them. */
export interface Mount {
  /**
   * `hidden`: an empty folder of its own. `own`: `from` in the place of what is there, writable. `readable`, `writable`: `from` (by default the same
   * path) as it is outside.
   */
  readonly kind: 'hidden' | 'own' | 'readable' | 'writable';
  readonly path: string;
  /** Absent: `path`. */
  readonly from?: string;
}

/** What the operating system lets a program see and change, in plain data. */
export interface Confinement {
  /** Everything that differs from "all of the machine can be read, nothing written". */
  readonly mounts: readonly Mount[];
  /** The folder in which the program starts. */
  readonly cwd: string;
  readonly hasNetwork: boolean;
  /** Who the program is inside. Never 0: the superuser of a namespace could ask for more. */
  readonly uid: number;
  readonly gid: number;
}

export interface PlacedPath {
  readonly path: string;
  readonly real: string;
}

/** What the mounts of a turn are made of. Every path is absolute; `real` ones hold no symbolic link. */
export interface MountFacts {
  /** Real paths that exist and are to stay hidden: homes, sockets of daemons. */
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
    readonly written: readonly string[];
    /** What cannot be written in these or in the workspace. */
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

/** The kernel's own settings. To the kernel a program that root started is root, whatever it is called inside: it could set them (tried). */
const KERNEL = '/proc/sys';

/**
 * The words between `bwrap` and the program. Pure. Everything of the machine can be read and nothing written but what the mounts say; devices, processes
 * and temporary files are the program's own.
 *
 * - A user namespace, in which the program is nobody special: as root it would otherwise keep the power to remount its way out (tried).
 * - A process namespace: nothing survives the end of the program, and nothing outside can be seen or signalled.
 * - `--new-session`: nothing can be typed into the person's terminal. `--die-with-parent`: it ends when Ralph is killed.
 */
export function planBubblewrap({ mounts, cwd, hasNetwork, uid, gid }: Confinement): readonly string[] {
  return [
    ...['--unshare-user', '--uid', String(uid), '--gid', String(gid)],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...['--die-with-parent', '--new-session'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--ro-bind', KERNEL, KERNEL],
    ...orderMounts(mounts).flatMap(toBubblewrapWords),
    ...['--chdir', cwd, '--'],
  ];
}

function toBubblewrapWords({ kind, path, from = path }: Mount): readonly string[] {
  switch (kind) {
    case 'hidden':
      return ['--tmpfs', path];
    case 'readable':
      return ['--ro-bind', from, path];
    case 'own':
    case 'writable':
      return ['--bind', from, path];
  }
}

/**
 * The same confinement as a profile of macOS' `sandbox-exec -p`. Pure. **Never run**: there was no such machine; it follows the published
 * profiles of the system. Seatbelt cannot put one folder in the place of another, so `own` mounts are writable where they really are (HOME and TMPDIR must
 * point there) and what they stand for is denied. The last rule that fits counts: what lies deeper comes later.
 */
export function planSeatbelt({ mounts, hasNetwork }: Confinement): string {
  const rules = orderMounts(mounts).flatMap(toSeatbeltRules);
  const ordered = rules.sort((left, right) => toDepth(left.place) - toDepth(right.place));
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (subpath "/dev"))',
    ...ordered.map(({ words, place }) => `(${words} (subpath ${JSON.stringify(place)}))`),
    ...toWays(ordered),
    ...(hasNetwork ? [] : ['(deny network*)', '(allow network* (local ip "localhost:*"))']),
    '',
  ].join('\n');
}

interface SeatbeltRule {
  readonly words: string;
  readonly place: string;
}

const CLOSED = 'deny file-read* file-write*';
const OPEN = 'allow file-read* file-write*';
const SEEN = 'allow file-read*';

function toSeatbeltRules({ kind, path, from = path }: Mount): readonly SeatbeltRule[] {
  switch (kind) {
    case 'hidden':
      return [{ words: CLOSED, place: path }];
    case 'own':
      return [
        { words: CLOSED, place: path },
        { words: OPEN, place: from },
      ];
    case 'readable':
      // What is seen under another name here may be written where it really is.
      return [{ words: SEEN, place: from }, ...(from === path ? [{ words: 'deny file-write*', place: from }] : [])];
    case 'writable':
      return [{ words: OPEN, place: from }];
  }
}

/** The folders on the way to what is open must be findable, though nothing else in them is: names and contents stay hidden. */
function toWays(rules: readonly SeatbeltRule[]): readonly string[] {
  const ways = rules.filter(({ words }) => words !== CLOSED).flatMap(({ place }) => listAbove(place));
  return [...new Set(ways)].map((place) => `(allow file-read-metadata (literal ${JSON.stringify(place)}))`);
}

function listAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [...listAbove(above), above];
}

/** The mounts in the order in which they must be made: what lies deeper covers what is above it; of two for one path the later one counts. */
export function orderMounts(mounts: readonly Mount[]): readonly Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    byPath.delete(mount.path);
    byPath.set(mount.path, mount);
  }
  return [...byPath.values()].sort((left, right) => toDepth(left.path) - toDepth(right.path));
}

/** How many folders deep an absolute path is. */
function toDepth(path: string): number {
  return path.split('/').filter((segment) => segment !== '').length;
}

/** Who a program is inside: never the superuser. */
export function toInnerUser(): { readonly uid: number; readonly gid: number } {
  const [uid, gid] = [process.getuid?.() ?? 1000, process.getgid?.() ?? 1000];
  return { uid: uid === 0 ? 1000 : uid, gid: gid === 0 ? 1000 : gid };
}
