import { basename, dirname } from 'node:path';
import type { FileSystem } from '../../src/journal/index.ts';
import { createMemoryFile, type MemoryFile } from './memory-file.ts';
import type { Random } from './seeded-random.ts';

interface MemoryFolder {
  readonly items: Map<string, MemoryNode>;
}

type MemoryNode = MemoryFile | MemoryFolder;

/** Names that were made, moved or removed together, and that no sync of their folder has covered yet. */
interface NameChange {
  readonly folder: MemoryFolder;
  readonly names: readonly { readonly name: string; readonly node: MemoryNode | null }[];
}

/** Thrown by every call once the power is gone: the program that made it is dead. */
export class PowerLoss extends Error {
  override readonly name = 'PowerLoss';
}

/** A disk in memory that knows what was synced, in the manner of SQLite's test6. */
export interface MemoryDisk {
  readonly fs: FileSystem;
  /** Calls of `fs` so far. */
  readonly countCalls: () => number;
  /** The n-th call from now on (1, 2, …) and all after it throw {@link PowerLoss}; the n-th has no effect. */
  readonly cutPowerAt: (call: number) => void;
  /**
   * The machine starts again: open handles are gone, and of everything that was not synced any part may be lost, torn, zeroed or garbled.
   */
  readonly restart: (random: Random) => void;
  /** A file's bytes; `null` when there is none. Counts as no call. */
  readonly peek: (path: string) => Buffer | null;
  /** Removes an empty folder. Counts as no call. */
  readonly removeFolder: (path: string) => void;
  /** Puts a file there as if it had always been. */
  readonly put: (path: string, bytes: Uint8Array) => void;
}

export function createMemoryDisk(now: () => number = () => 0): MemoryDisk {
  const root: MemoryFolder = { items: new Map() };
  /** What each folder would hold after a power loss that keeps no change. */
  const durable = new Map<MemoryFolder, Map<string, MemoryNode>>([[root, new Map()]]);
  let nameChanges: NameChange[] = [];
  let handles = new Map<number, { readonly file: MemoryFile; at: number; readonly appends: boolean; readonly writes: boolean }>();
  let nextHandle = 1000;
  let calls = 0;
  let powerUntil = Number.POSITIVE_INFINITY;

  const ids = new WeakMap<MemoryNode, string>();
  let lastId = 0;
  const toId = (node: MemoryNode): string => {
    lastId += 1;
    const id = ids.get(node) ?? String(lastId);
    ids.set(node, id);
    return id;
  };
  const find = (path: string): MemoryNode | null => {
    let node: MemoryNode = root;
    for (const name of path.split('/').filter((part) => part !== '')) {
      if (!isFolder(node)) return null;
      const next = node.items.get(name);
      if (next === undefined) return null;
      node = next;
    }
    return node;
  };
  const findFolder = (path: string): MemoryFolder => {
    const node = find(path);
    if (node === null) throw toSystemError('ENOENT', path);
    if (!isFolder(node)) throw toSystemError('ENOTDIR', path);
    return node;
  };
  const findFile = (path: string): MemoryFile => {
    const node = find(path);
    if (node === null) throw toSystemError('ENOENT', path);
    if (isFolder(node)) throw toSystemError('EISDIR', path);
    return node;
  };
  const changeNames = (folder: MemoryFolder, names: NameChange['names']): void => {
    nameChanges.push({ folder, names });
    applyNames(folder.items, names);
  };
  const use = (handle: number) => {
    const open = handles.get(handle);
    if (open === undefined) throw toSystemError('EBADF', String(handle));
    return open;
  };

  const openFile = (path: string, mode: Parameters<FileSystem['open']>[1]): MemoryFile => {
    const found = find(path);
    if (mode === 'create' && found !== null) throw toSystemError('EEXIST', path);
    if (mode === 'read' || found !== null) return findFile(path);
    const file = createMemoryFile(now());
    changeNames(findFolder(dirname(path)), [{ name: basename(path), node: file }]);
    return file;
  };

  const raw: FileSystem = {
    open(path, mode) {
      const file = openFile(path, mode);
      nextHandle += 1;
      handles.set(nextHandle, { file, at: 0, appends: mode === 'append', writes: mode !== 'read' });
      return nextHandle;
    },
    close(handle) {
      use(handle);
      handles.delete(handle);
    },
    read(handle, into, at) {
      return use(handle)
        .file.content()
        .copy(into, 0, at, at + into.length);
    },
    write(handle, bytes) {
      const open = use(handle);
      if (!open.writes) throw toSystemError('EBADF', String(handle));
      const at = open.appends ? open.file.content().length : open.at;
      open.file.write(at, bytes);
      open.file.modifiedAt = now();
      open.at = at + bytes.length;
      return bytes.length;
    },
    sync: (handle) => use(handle).file.sync(),
    truncate: (handle, sizeBytes) => use(handle).file.truncate(sizeBytes),
    stat(path) {
      const node = find(path);
      if (node === null) return null;
      if (isFolder(node)) return { kind: 'folder', sizeBytes: 0, modifiedAt: 0, id: toId(node), changedAt: 0 };
      return { kind: 'file', sizeBytes: node.content().length, modifiedAt: node.modifiedAt, id: toId(node), changedAt: node.modifiedAt };
    },
    rename(from, to) {
      const node = find(from);
      if (node === null) throw toSystemError('ENOENT', from);
      if (dirname(from) !== dirname(to)) throw toSystemError('EXDEV', to);
      changeNames(findFolder(dirname(to)), [
        { name: basename(to), node },
        { name: basename(from), node: null },
      ]);
    },
    unlink(path) {
      findFile(path);
      changeNames(findFolder(dirname(path)), [{ name: basename(path), node: null }]);
    },
    makeFolder(path) {
      if (find(path) !== null) throw toSystemError('EEXIST', path);
      const folder: MemoryFolder = { items: new Map() };
      durable.set(folder, new Map());
      changeNames(findFolder(dirname(path)), [{ name: basename(path), node: folder }]);
    },
    list: (path) => [...findFolder(path).items].map(([name, node]) => ({ name, kind: isFolder(node) ? 'folder' : 'file' })),
    syncFolder(path) {
      const folder = findFolder(path);
      for (const { names } of nameChanges.filter((change) => change.folder === folder)) applyNames(durable.get(folder), names);
      nameChanges = nameChanges.filter((change) => change.folder !== folder);
    },
    watch: () => () => {},
  };

  const countCall = (): void => {
    calls += 1;
    if (calls >= powerUntil) throw new PowerLoss(`power lost at call ${calls}`);
  };

  const settleNames = (random: Random): void => {
    for (const { folder, names } of nameChanges) if (random() < 0.5) applyNames(durable.get(folder), names);
    nameChanges = [];
    for (const [folder, names] of durable) {
      folder.items.clear();
      for (const [name, node] of names) folder.items.set(name, node);
    }
  };

  return {
    fs: interceptCalls(raw, countCall),
    countCalls: () => calls,
    cutPowerAt: (call) => {
      powerUntil = calls + call;
    },
    restart(random) {
      powerUntil = Number.POSITIVE_INFINITY;
      handles = new Map();
      settleNames(random);
      for (const file of listFiles(root)) file.losePower(random);
    },
    peek(path) {
      const node = find(path);
      return node === null || isFolder(node) ? null : node.content();
    },
    removeFolder(path) {
      if (findFolder(path).items.size > 0) throw toSystemError('ENOTEMPTY', path);
      changeNames(findFolder(dirname(path)), [{ name: basename(path), node: null }]);
    },
    put(path, bytes) {
      const folder = findFolder(dirname(path));
      const file = createMemoryFile(now());
      file.write(0, bytes);
      file.sync();
      folder.items.set(basename(path), file);
      durable.get(folder)?.set(basename(path), file);
    },
  };
}

/** The same file system, with `before` called ahead of every call (of `watch` not). */
export function interceptCalls(fs: FileSystem, before: (method: keyof FileSystem) => void): FileSystem {
  const entries = Object.entries(fs) as [keyof FileSystem, (...args: never[]) => unknown][];
  const intercepted = entries.map(([method, call]) => {
    if (method === 'watch') return [method, call];
    return [
      method,
      (...args: never[]) => {
        before(method);
        return call(...args);
      },
    ];
  });
  return Object.fromEntries(intercepted) as FileSystem;
}

function applyNames(items: Map<string, MemoryNode> | undefined, names: NameChange['names']): void {
  for (const { name, node } of names) {
    if (node === null) items?.delete(name);
    else items?.set(name, node);
  }
}

function isFolder(node: MemoryNode): node is MemoryFolder {
  return 'items' in node;
}

function listFiles(folder: MemoryFolder): readonly MemoryFile[] {
  return [...folder.items.values()].flatMap((node) => (isFolder(node) ? listFiles(node) : [node]));
}

export function toSystemError(code: string, detail: string): Error {
  return Object.assign(new Error(`${code}: ${detail}`), { code });
}
