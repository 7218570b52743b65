import { chmodSync, lstatSync, readFileSync, realpathSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CliDescription, OwnChanges } from '../backends/describe/description.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import { isFolder } from '../process/paths.ts';

/** Restores settings of the project after turns of hats that may not write. */
export interface SettingsKeeper {
  /**
   * Reads now the files that the CLI may change by itself, and returns what restores them: such changes are not made by its hat. Neither throws. Where turns
   * of one CLI overlap, what the first of them found counts for all.
   */
  readonly keep: (cli: Pick<CliDescription, 'type' | 'ownChanges'>, cwd: string) => () => void;
}

export function createSettingsKeeper(): SettingsKeeper {
  const kept = new Map<string, { readonly putBack: () => void; turns: number }>();
  return {
    keep: ({ type, ownChanges }, cwd) => {
      if (ownChanges === undefined) return () => {};
      const name = `${type} ${cwd}`;
      const one = kept.get(name) ?? { putBack: lookAt(ownChanges, cwd), turns: 0 };
      kept.set(name, one);
      one.turns += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        one.turns -= 1;
        if (one.turns === 0) kept.delete(name);
        one.putBack();
      };
    },
  };
}

function lookAt({ rewritten = [], made = [], renamed }: OwnChanges, cwd: string): () => void {
  const all = [
    ...rewritten.map((file) => tryOr(() => keepFile(join(cwd, file)), null)),
    ...made.map((file) => tryOr(() => keepFile(join(cwd, file)) ?? keepGap(join(cwd, file)), null)),
  ];
  const moved = renamed === undefined ? null : tryOr(() => keepName(join(cwd, renamed[0]), join(cwd, renamed[1])), null);
  return () => {
    for (const putBack of [...all, moved]) quietly(() => putBack?.());
  };
}

/** What restores a file; `null` where there is no plain file, as a link may lead to somebody else's. */
function keepFile(path: string): (() => void) | null {
  const folder = findFolder(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return null;
  const [before, mode] = [readFileSync(path), stats.mode & 0o777];
  return () => {
    if (findFolder(path) !== folder || !isPlain(path) || readFileSync(path).equals(before)) return;
    writeFileSync(path, before);
    chmodSync(path, mode);
  };
}

/** What removes a file that is not there now, and its folder if that is not there either and stays otherwise empty. */
function keepGap(path: string): (() => void) | null {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return null;
  const folder = findFolder(path);
  return () => {
    const isOurs = folder === null ? isFolder(dirname(path)) : findFolder(path) === folder;
    if (!isOurs || !isPlain(path)) return;
    rmSync(path);
    if (folder === null) rmdirSync(dirname(path));
  };
}

function keepName(from: string, to: string): (() => void) | null {
  if (!isFolder(from) || lstatSync(to, { throwIfNoEntry: false }) !== undefined) return null;
  return () => {
    if (isFolder(to) && lstatSync(from, { throwIfNoEntry: false }) === undefined) renameSync(to, from);
  };
}

function findFolder(path: string): string | null {
  return lstatSync(dirname(path), { throwIfNoEntry: false }) === undefined ? null : realpathSync(dirname(path));
}

function isPlain(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
