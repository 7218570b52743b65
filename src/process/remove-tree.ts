import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isFolder } from './paths.ts';

/**
 * Removes a folder with everything in it, whatever was built there: nested deeper than a path may be long, without permissions, with names that are no
 * UTF-8. Links are removed, never followed. A folder that is not there is as good as removed.
 *
 * @throws the system error; `EBUSY` where something is mounted in the folder, for that does not belong to the tree: then nothing is removed
 */
export function removeTree(path: string): void {
  requireNoMounts(path);
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    removeFlat(path);
  }
}

function requireNoMounts(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const [mount] = listMounts(path);
  if (mount === undefined) return;
  const message = `EBUSY: something is mounted there, unlink '${mount}'`;
  throw Object.assign(new Error(message), { code: 'EBUSY', syscall: 'unlink', path: mount });
}

/** Every folder is moved to the top before it is looked into, so that no path grows. */
function removeFlat(path: string): void {
  const top = mkdtempSync(join(dirname(path), '.removing-'));
  const waiting = [join(top, '0')];
  try {
    renameSync(path, join(top, '0'));
  } catch (error) {
    rmdirSync(top);
    throw error;
  }
  let count = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (!isFolder(folder)) {
      unlinkSync(folder);
      continue;
    }
    chmodSync(folder, 0o700);
    for (const name of readdirSync(folder, 'buffer')) {
      const entry = Buffer.concat([Buffer.from(`${folder}/`), name]);
      if (isFolder(entry)) {
        count += 1;
        // A folder that may not be written cannot be moved: its entry for its parent would change.
        chmodSync(entry, 0o700);
        renameSync(entry, join(top, String(count)));
        waiting.push(join(top, String(count)));
      } else unlinkSync(entry);
    }
    rmdirSync(folder);
  }
  rmdirSync(top);
}

/**
 * What is mounted at a path or below it, outer mounts first; the path is taken as it really is. Only Linux tells: elsewhere there are none. Never throws.
 */
export function listMounts(path: string): readonly string[] {
  let real: string;
  let table: string;
  try {
    real = realpathSync(path);
    table = readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return [];
  }
  return [...new Set(parseMounts(table))]
    .filter((mount) => mount === real || mount.startsWith(real === sep ? sep : `${real}${sep}`))
    .sort();
}

/** The mount points of a `mountinfo`, whose bytes are given as latin1. */
function parseMounts(table: string): readonly string[] {
  return table.split('\n').map((line) => {
    const bytes = (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  });
}
