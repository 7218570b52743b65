import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { tryOr } from '../core/values/result.ts';
import { toContractPath } from '../emit/contract-file.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { isFolder, readLink } from '../process/paths.ts';
import { removeTree } from '../process/remove-tree.ts';
import type { Admission } from '../runs/admit-people.ts';
import type { Layout } from '../runs/layout.ts';
import { toPeopleFile } from '../runs/people.ts';
import type { RunFile } from '../runs/run-file.ts';
import { toWorkspaceLock } from '../runs/run-lock.ts';
import { openProgramNotes } from '../runs/unconfirmed-programs.ts';
import type { GitWorkspace } from '../workspace/checkpoint/create-workspace.ts';

/** What of a run's own is to stay as it is. */
export interface TrustedState {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
  /** Absolute path of the agents' `ralph`. */
  readonly agentCommand: string;
  /** Absolute paths of what gates compare with. */
  readonly gateFiles: readonly string[];
  readonly tree: Pick<GitWorkspace, 'findNewPrograms'>;
  readonly admitTokens: Admission['admitTokens'];
}

/**
 * What later turns, a resume and a person's commands run or believe is what it was when the run was put together: Ralph's own files, the way to its state folder, the
 * programs of git's configuration.
 *
 * @returns undoes what was done to them since it was called last, and names it
 */
export function keepTrustedState({
  layout,
  paths,
  file,
  agentCommand,
  gateFiles,
  tree,
  admitTokens,
}: TrustedState): () => Promise<readonly string[]> {
  const locks = [paths.lock, toWorkspaceLock(layout, file.worktree)];
  const people = toPeopleFile(paths);
  const files = keepTrustedFiles(
    layout.root,
    [agentCommand, toContractPath(paths.folder), paths.settings, people, join(layout.stateDir, 'key'), ...locks, ...gateFiles],
    (path, before, now) => path === people && admitTokens(before, now),
  );
  const leadBack = keepTrustedLink(layout.stateDir, paths.runId);
  const notes = openProgramNotes(layout);
  let told = notes.keys;
  return async () => {
    const outcome = leadBack();
    const link = relative(layout.root, layout.stateDir);
    const links = outcome === null ? [] : [outcome === 'failed' ? `${link} (a link that could not be led back)` : link];
    const now = await tree.findNewPrograms();
    notes.note(now, file.gitPrograms);
    const keys = Object.keys(now);
    const fresh = keys.filter((key) => !told.includes(key));
    told = keys;
    return [...links, ...files.check(), ...fresh.map((key) => `${key} of git's configuration`)];
  };
}

/** Files of Ralph's own that later turns, commands of a person or a resume run or believe. */
export interface TrustedFiles {
  /** Compares each with what it was, and puts back what is not that any more. The names of what was put back, relative to the folder of the run. */
  readonly check: () => readonly string[];
}

const MAX_ORDER_BYTES = 1 << 20;

type IsOrder = (path: string, before: Buffer, now: Buffer) => boolean;

interface KeptFile {
  readonly path: string;
  bytes: Buffer;
  readonly mode: number;
}

/**
 * Remembers files as they are now, by content. One that is not there is not watched. Where the folder of a file is gone, nothing is put back: that
 * is for whoever watches the journal.
 *
 * @param isOrder whether a change is one that a person may order; it is kept then, and the next one is compared with it. Default: none is
 * @param root the folder that names are relative to; folders in it that became links are no way to a file
 */
export function keepTrustedFiles(root: string, paths: readonly string[], isOrder: IsOrder = () => false): TrustedFiles {
  const kept = paths.flatMap((path) => keep(path));
  const check = (file: KeptFile): boolean => {
    if (isSame(file)) return false;
    const now = isSmall(file.path) ? keep(file.path)[0] : undefined;
    if (now?.mode === file.mode && isOrder(file.path, file.bytes, now.bytes)) {
      file.bytes = now.bytes;
      return false;
    }
    return putBack(root, file);
  };
  return { check: () => kept.filter(check).map(({ path }) => relative(root, path)) };
}

/**
 * Remembers where a link leads, if there is one: what lies in a workspace can be removed from it, also where nothing can be written that it leads to.
 *
 * @returns a look that leads it there again, and says whether it had to, or once that it could not; what stands in its place is set aside as `<name>.old-1`, a folder stays where
 * this run was rescued into it
 */
export function keepTrustedLink(path: string, runId: string): () => 'led back' | 'failed' | null {
  const target = readLink(path);
  let hasFailed = false;
  return () => {
    if (target === null || readLink(path) === target || existsSync(join(path, 'rescue', runId))) return null;
    try {
      // Nothing is removed: what stands there may be somebody's work, the runs themselves among it.
      if (!existsSync(resolve(dirname(path), target))) throw new Error('what it led to is gone');
      setAside(path);
      symlinkSync(target, path);
      hasFailed = false;
      return 'led back';
    } catch {
      const isTold = hasFailed;
      hasFailed = true;
      return isTold ? null : 'failed';
    }
  };
}

/** Gives what stands there the next free name behind its own; a link is only taken away. */
function setAside(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) return unlinkSync(path);
  let count = 1;
  while (lstatSync(`${path}.old-${count}`, { throwIfNoEntry: false }) !== undefined) count += 1;
  renameSync(path, `${path}.old-${count}`);
}

function keep(path: string): readonly KeptFile[] {
  return tryOr(() => {
    const stats = lstatSync(path);
    return stats.isFile() ? [{ path, bytes: readFileSync(path), mode: stats.mode & 0o777 }] : [];
  }, []);
}

/** Whether it is worth reading: what a person orders is not long. */
function isSmall(path: string): boolean {
  return (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) <= MAX_ORDER_BYTES;
}

function isSame({ path, bytes, mode }: KeptFile): boolean {
  return tryOr(() => {
    const stats = lstatSync(path);
    return stats.isFile() && (stats.mode & 0o777) === mode && stats.size === bytes.length && readFileSync(path).equals(bytes);
  }, false);
}

/** False where there is no place for it any more. */
function putBack(root: string, { path, bytes, mode }: KeptFile): boolean {
  try {
    if (!openFolder(root, dirname(path))) return false;
    const draft = `${path}.${process.pid}.draft`;
    removeTree(draft);
    writeFileSync(draft, bytes, { flag: 'wx', mode });
    chmodSync(draft, mode);
    if (isFolder(path)) removeTree(path);
    renameSync(draft, path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes the last folder where it is missing or a link; those above it must be there, and be folders. The folder of a run is never made: where it was
 * removed, together with the journal, nothing may look as if all were well.
 */
function openFolder(root: string, folder: string): boolean {
  for (let above = dirname(folder); above.startsWith(`${root}/`); above = dirname(above)) if (!isFolder(above)) return false;
  if (isFolder(folder)) return true;
  if (basename(dirname(folder)) === 'runs') return false;
  rmSync(folder, { force: true });
  mkdirSync(folder);
  return true;
}
