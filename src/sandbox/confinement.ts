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
export function toDepth(path: string): number {
  return path.split('/').filter((segment) => segment !== '').length;
}

/** Whether a path is a folder or lies somewhere below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
