import { readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

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
