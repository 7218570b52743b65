import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { GitPlaces } from './git-guard.ts';

/**
 * Where the own files of the repository at a working tree's top are, as git itself finds them now: somebody may have put another repository in the
 * place of the one that was there. Asks git nothing.
 *
 * @param gitDir what git said before; it stands where there is no `.git` to be read
 */
export function readGitPlaces(top: string, gitDir: string): GitPlaces {
  const found = readLink(top) ?? gitDir;
  return { top, gitDir: found, commonDir: readCommonDir(found) };
}

/** `.git` as a folder, or what it says as a file: `gitdir: PATH`. */
function readLink(top: string): string | null {
  const path = join(top, '.git');
  try {
    if (statSync(path).isDirectory()) return path;
    const target = /^gitdir: (.+)$/s.exec(withoutLineEnds(readFileSync(path, 'utf8')))?.[1];
    return target === undefined ? null : resolve(top, target);
  } catch {
    return null;
  }
}

/** What working trees of one repository share. */
export function readCommonDir(gitDir: string): string {
  try {
    return resolve(gitDir, withoutLineEnds(readFileSync(join(gitDir, 'commondir'), 'utf8')));
  } catch {
    return gitDir;
  }
}

function withoutLineEnds(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}
