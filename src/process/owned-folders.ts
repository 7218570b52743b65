import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listPipeFolders, removePipeFolder } from './named-pipes.ts';
import { listNames } from './paths.ts';
import { processStartTime, readPidNamespace } from './process-table.ts';
import { removeTree } from './remove-tree.ts';

/** Such a folder is needed for some minutes. */
const LONGEST_MS = 24 * 60 * 60 * 1000;
/** Behind the prefix: the maker's process namespace, its pid, and what makes the name its own. */
const OWNER = /^(\d+)-(\d+)-\w{6}$/;

/**
 * Makes a folder that is needed for a short time and tells by its name whose it is, so that {@link sweepOwnedFolders} finds it when its maker was killed.
 *
 * @returns its path
 * @throws the system error
 */
export function makeOwnedFolder(parent: string, prefix: string): string {
  return mkdtempSync(join(parent, `${prefix}${toNamespaceNumber()}-${process.pid}-`));
}

/**
 * Removes the folders of dead makers. One whose maker lives in a process namespace of which nothing can be seen from here is only removed when it is a day old.
 * What cannot be removed stays. Never throws.
 */
export function sweepOwnedFolders(parent: string, prefix: string): void {
  for (const name of listNames(parent).filter((entry) => entry.startsWith(prefix))) {
    const [, namespace, pid] = OWNER.exec(name.slice(prefix.length)) ?? [];
    if (pid === undefined) continue;
    try {
      const isDead = namespace === toNamespaceNumber() && processStartTime(Number(pid)) === undefined;
      if (isDead || Date.now() - statSync(join(parent, name)).mtimeMs > LONGEST_MS) removeTree(join(parent, name));
    } catch {
      // It belongs to another user, or another process removes it.
    }
  }
}

/**
 * Removes the folders of pipes whose makers are dead, from the places where pipes are made. What cannot be removed stays. A maker that lives where it
 * cannot be seen from here makes its pipes another way this once.
 */
export function removeDeadPipes(): void {
  for (const { path, makerPid } of listPipeFolders()) if (processStartTime(makerPid) === undefined) removePipeFolder(path);
}

/** `4026531836` of `pid:[4026531836]`; `0` where the system has none. */
function toNamespaceNumber(): string {
  return /\d+/.exec(readPidNamespace() ?? '')?.[0] ?? '0';
}
