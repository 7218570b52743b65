/** What stands at a path. `other`: a symbolic link (in lists only), a pipe, a device, a socket. */
export type FileKind = 'file' | 'folder' | 'other';

/**
 * How a file is opened. `read`: must exist. `append`: made when missing, every write goes to its end.
 * `create`: must not exist (`EEXIST`), written from its start.
 */
export type OpenMode = 'read' | 'append' | 'create';

export interface FileFacts {
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  /** The same for the same file, whatever it is called. */
  readonly id: string;
  /** Epoch milliseconds of the last change of any kind, which no program can put back. */
  readonly changedAt: number;
}

export interface FolderItem {
  readonly name: string;
  readonly kind: FileKind;
}

/**
 * The few calls by which this room touches a disk, so that tests can make every one of them fail.
 * All are synchronous: the loop has one thing to do at a time, and an awaited append costs more than the write itself.
 *
 * Contract: each call does one system call's work and throws the system's error (`code`: `ENOSPC`, `EIO`, …). A write may be short.
 * Only what `sync` (file content) or `syncFolder` (names in a folder) returned for survives a power loss.
 */
export interface FileSystem {
  /** Returns a handle. `permissions` count for new files only, default 0o666 less the process's mask. */
  readonly open: (path: string, mode: OpenMode, permissions?: number) => number;
  readonly close: (handle: number) => void;
  /** Fills `into` from byte `at` on; returns how many bytes came, 0 at the end. */
  readonly read: (handle: number, into: Uint8Array, at: number) => number;
  /** Returns how many bytes were taken. */
  readonly write: (handle: number, bytes: Uint8Array) => number;
  /** Content and size are on disk when it returns. */
  readonly sync: (handle: number) => void;
  readonly truncate: (handle: number, sizeBytes: number) => void;
  /** `null` when nothing is there. Follows symbolic links. */
  readonly stat: (path: string) => FileFacts | null;
  /** Replaces a file at `to` in one step. */
  readonly rename: (from: string, to: string) => void;
  readonly unlink: (path: string) => void;
  /** One level; throws `EEXIST`. */
  readonly makeFolder: (path: string, permissions?: number) => void;
  /** In no particular order. */
  readonly list: (path: string) => readonly FolderItem[];
  /** The names in the folder are on disk when it returns. */
  readonly syncFolder: (path: string) => void;
  /** Calls `onChange` when the file may have changed, until the returned function is called. A hint: changes may be missed. */
  readonly watch: (path: string, onChange: () => void) => () => void;
}
