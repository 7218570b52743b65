import { closeSync, constants, fstatSync, openSync, realpathSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { toErrorCode } from '../core/values/errors.ts';
import { tryOr } from '../core/values/result.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { decodeNames, encodeNames } from './file-names.ts';
import { findRepositoryFolders } from './git-places.ts';

/** Git that takes longer may wait for a pipe. */
const LATE_MS = 2000;
/** After a look that found none, the next one comes so many times as late as that look took, and not before `LATE_MS`. */
const PAUSES = 10;
/** A pipe for which git has waited before is looked at sooner. */
const SOON_MS = 250;
/** Absolute paths of pipes for which git has waited, by the folder in which it was started. */
const known = new Map<string, string>();
/** So many folders are looked at. */
const MAX_FOLDERS = 100_000;
/** What git reads in each folder of a working tree. */
const READ_BY_GIT = ['.gitignore', '.gitattributes', '.gitmodules'];
/** What git reads and writes in its own folder: no pipe belongs there. Of a git that waits to write into one nothing is seen. */
const GITS_OWN = /^(?:[A-Z_]+|config|config\.worktree|index|packed-refs|commondir|gitdir|shallow|(?:refs|logs|info|objects\/info)\/.+)$/;
/** Such files directly in a folder that a link stands for: `info`, `refs/heads`. */
const LINKED = [...READ_BY_GIT, 'exclude', 'attributes', 'alternates', 'HEAD', 'main', 'master'];

export interface PastPipes<Answer> {
  readonly answer: Answer;
  /** Absolute path of the pipe for which git waited until it was ended; `null`: it was not. */
  readonly pipe: string | null;
}

/**
 * Asks git something, and ends it where it waits for a pipe that somebody put in the place of a file that it reads. Nothing is looked at while git does not take long.
 *
 * @param stop ends git, too
 */
export async function askPastPipes<Answer>(
  cwd: string,
  stop: AbortSignal | undefined,
  ask: (abort: AbortSignal) => Promise<Answer>,
): Promise<PastPipes<Answer>> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const state: { isAnswered: boolean; found: AwaitedPipe | null; timer?: NodeJS.Timeout } = { isAnswered: false, found: null };
  const lookIn = (pauseMs: number, look: () => AwaitedPipe | null | Promise<AwaitedPipe | null>): void => {
    state.timer = setTimeout(async () => {
      const from = steadyMs();
      const found = await look();
      if (state.isAnswered) return found?.letGo();
      if (found === null) return lookIn(Math.max(LATE_MS, PAUSES * (steadyMs() - from)), lookEverywhere);
      known.set(cwd, found.path);
      state.found = found;
      end();
    }, pauseMs);
  };
  const lookEverywhere = (): Promise<AwaitedPipe | null> => findAwaitedPipe(cwd, () => state.isAnswered);
  const last = known.get(cwd);
  if (last === undefined) lookIn(LATE_MS, lookEverywhere);
  else
    lookIn(SOON_MS, () => {
      const again = lookAgain(last);
      if (again === null) known.delete(cwd);
      return again;
    });
  stop?.addEventListener('abort', end);
  if (stop?.aborted) end();
  try {
    const answer = await ask(ended.signal);
    return { answer, pipe: state.found?.path ?? null };
  } finally {
    state.isAnswered = true;
    clearTimeout(state.timer);
    stop?.removeEventListener('abort', end);
    state.found?.letGo();
  }
}

interface AwaitedPipe {
  /** Absolute. */
  readonly path: string;
  /** To be called once nobody waits for it any more. */
  readonly letGo: () => void;
}

/** `tree`: a folder of the working tree. `own`: one of the repository's own files; no pipe belongs there. `inner`: the same of a repository inside this one. `outside`: what a `.git` file or a link leads to, which may be anything: only files by git's names are looked at there, and no folder in it. */
interface LookedThrough {
  readonly folder: string;
  readonly kind: 'tree' | 'own' | 'inner' | 'outside';
  /** The folder of git that it is in; empty for the tree. */
  readonly git: string;
}

const nothing = (): void => undefined;

/** The folders that are least deep come first. Never rejects. */
async function findAwaitedPipe(cwd: string, isOver: () => boolean): Promise<AwaitedPipe | null> {
  const { root, folders } = findRepositoryFolders(cwd);
  if (root === null) return null;
  const places: LookedThrough[] = [
    ...folders.slice(1).map((folder) => ({ folder, kind: 'own' as const, git: folder })),
    { folder: root, kind: 'tree', git: '' },
  ];
  // Those that are added meanwhile come, too.
  for (const { folder, kind, git } of places) {
    for (const entry of await readdir(encodeNames(folder), { withFileTypes: true, encoding: 'buffer' }).catch(() => [])) {
      if (isOver()) return null;
      const name = decodeNames(entry.name);
      const path = join(folder, name);
      if (kind === 'tree' && name === '.git') {
        const inner = folder === root ? [] : findRepositoryFolders(folder).folders.slice(1);
        places.push(
          ...inner.map((own) => ({ folder: own, kind: isWithin(root, own) ? ('inner' as const) : ('outside' as const), git: own })),
        );
        continue;
      }
      const within = relative(git, path);
      const isGits = kind === 'tree' ? READ_BY_GIT.includes(name) : GITS_OWN.test(within) || (kind === 'outside' && LINKED.includes(name));
      // In a working tree git follows no link to what it reads.
      const seen = entry.isSymbolicLink() && kind !== 'tree' ? tryOr(() => statSync(encodeNames(path)), entry) : entry;
      if (seen.isDirectory() && kind !== 'outside' && places.length < MAX_FOLDERS)
        places.push({ folder: path, kind: entry.isSymbolicLink() ? 'outside' : kind, git });
      // What lies elsewhere, or is no file of git, may be another program's.
      if (!seen.isFIFO() || (!isGits && (kind === 'tree' || kind === 'outside' || entry.isSymbolicLink()))) continue;
      const letGo = holdAwaited(path, isGits ? nothing : null) ?? (kind === 'own' && isGits ? nothing : null);
      if (letGo !== null) return { path, letGo };
    }
  }
  return null;
}

/** Whether a folder is within another one, by their real paths. */
function isWithin(root: string, folder: string): boolean {
  const [outer, inner] = [root, folder].map((path) => tryOr(() => realpathSync(encodeNames(path)), path));
  return `${inner}/`.startsWith(`${outer}/`);
}

function lookAgain(path: string): AwaitedPipe | null {
  const letGo = holdAwaited(path, null);
  return letGo === null ? null : { path, letGo };
}

/**
 * Whether somebody waits for a pipe, or reads it; never waits for that itself. Its writing end is held until `letGo`: closed sooner, it would let git go on as after an empty file.
 *
 * @param unknown what is returned of one that may not be written: nobody can tell
 * @returns `null` where nobody does
 */
function holdAwaited(path: string, unknown: (() => void) | null): (() => void) | null {
  try {
    const handle = openSync(realpathSync(encodeNames(path)), constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (fstatSync(handle).isFIFO()) return () => closeSync(handle);
    closeSync(handle);
    return null;
  } catch (error) {
    // The other codes say that no process reads it, or that it is gone.
    return toErrorCode(error) === 'EACCES' ? unknown : null;
  }
}
