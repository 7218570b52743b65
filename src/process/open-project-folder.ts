import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectFolder } from '../core/project/package-scripts.ts';
import { tryOr } from '../core/values/result.ts';
import { listNames } from './paths.ts';

const maxBytes = 1_000_000;

/** A folder as the detection of the commands that check it sees it; what cannot be read, or is too large to be read for this, is not there. */
export function openProjectFolder(cwd: string): ProjectFolder {
  return {
    names: listNames(cwd),
    readText: (name) => readText(join(cwd, name)),
    namesIn: (folder) => listNames(join(cwd, folder)),
  };
}

function readText(path: string): string | null {
  return tryOr(() => {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(path, 'utf8') : null;
  }, null);
}
