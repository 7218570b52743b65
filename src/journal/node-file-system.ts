import {
  closeSync,
  constants,
  type Dirent,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  watch,
  writeSync,
} from 'node:fs';
import { toErrorCode } from '../core/values/errors.ts';
import type { FileFacts, FileKind, FileSystem, OpenMode } from './file-system.ts';

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK = 0 } = constants;
/** Without waiting: a pipe in the place of a file would hold the process for ever, signals and all. To files it means nothing. */
const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY | O_NONBLOCK,
  append: O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK,
  create: O_WRONLY | O_CREAT | O_EXCL,
};

/** Answers of file systems (network mounts, some FUSE) that have no sync for folders; there is nothing more to be done there. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR', 'EPERM']);

export const nodeFileSystem: FileSystem = {
  open: (path, mode, permissions = 0o666) => openSync(path, FLAGS[mode], permissions),
  close: (handle) => closeSync(handle),
  read: (handle, into, at) => readSync(handle, into, 0, into.length, at),
  write: (handle, bytes) => writeSync(handle, bytes, 0, bytes.length, null),
  sync: (handle) => fdatasyncSync(handle),
  truncate: (handle, sizeBytes) => ftruncateSync(handle, sizeBytes),
  stat(path) {
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined ? null : toFileFacts(stats);
    } catch (error) {
      // Below a file there is nothing.
      if (toErrorCode(error) === 'ENOTDIR') return null;
      throw error;
    }
  },
  rename: (from, to) => renameSync(from, to),
  unlink: (path) => unlinkSync(path),
  makeFolder: (path, permissions = 0o777) => mkdirSync(path, permissions),
  list: (path) => readdirSync(path, { withFileTypes: true }).map((item) => ({ name: item.name, kind: toKind(item) })),
  syncFolder,
  watch(path, onChange) {
    const watcher = watch(path, { persistent: false }, () => onChange());
    // A watch that breaks (its file was removed, no watches left) is only a hint lost.
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  },
};

export function toFileFacts(stats: Stats): FileFacts {
  const { size, mtimeMs, ctimeMs, dev, ino } = stats;
  return { kind: toKind(stats), sizeBytes: size, modifiedAt: mtimeMs, id: `${dev}:${ino}`, changedAt: ctimeMs };
}

function toKind(facts: Stats | Dirent): FileKind {
  if (facts.isFile()) return 'file';
  return facts.isDirectory() ? 'folder' : 'other';
}

function syncFolder(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(toErrorCode(error))) throw error;
  } finally {
    closeSync(handle);
  }
}
