import {
  constants,
  copyFileSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  opendirSync,
  readFileSync,
  readlinkSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWithin } from '../../core/text/is-within.ts';
import { GitProblem } from '../../git/git.ts';
import { findReal } from '../../process/paths.ts';

/** Two tops: a repository, and where its work is copied to. */
export interface CopyTops {
  readonly from: string;
  readonly to: string;
}

/** What may still be copied. */
export interface CopyBudget {
  bytes: number;
  files: number;
  /** When it has to be done, as `performance.now` tells it. */
  readonly endsAtMs: number;
}

export interface CopiedFolder {
  /** False where there was no room for all of it: nothing is copied then. */
  readonly fits: boolean;
  /** What cannot be read, relative to the top. */
  readonly leftOut: readonly string[];
}

/** So many files in a row before something else may happen in the process. */
const SLICE = 500;

/**
 * Copies a file or a folder below the top if there is room for all of it. Links that lead into the work lead into the copy there, and so do the programs of a Python
 * environment.
 *
 * @throws GitProblem where something in it leads programs back to the files of the work, whatever folder they are started in, or where it takes too long
 */
export async function copyFolder(tops: CopyTops, path: string, room: CopyBudget, signal: AbortSignal): Promise<CopiedFolder> {
  const leftOut: string[] = [];
  const listed = listFiles(tops.from, path, room, leftOut);
  if (listed === null) return { fits: false, leftOut: [] };
  const back = listed.paths.find((file) => leadsBack(tops.from, file));
  if (back !== undefined)
    throw new GitProblem(`${back} leads back to the files of the folder, so what runs in a copy may not be about the copy`);
  room.bytes -= listed.bytes;
  room.files -= listed.paths.length;
  for (const [index, file] of listed.paths.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((done) => setImmediate(done));
    if (signal.aborted) throw new GitProblem('it was stopped');
    if (performance.now() > room.endsAtMs) throw new GitProblem(`it takes too long to copy ${path}`);
    if (!copyReadable(tops, file)) leftOut.push(file);
  }
  return { fits: true, leftOut };
}

/** Copies a file or a link with its times: what was built of it is not older. */
export function copyOne({ from, to }: CopyTops, path: string, stats: Stats): void {
  const [source, target] = [join(from, path), join(to, path)];
  mkdirSync(dirname(target), { recursive: true });
  if (stats.isSymbolicLink()) symlinkSync(toLink({ from, to }, path), target);
  else copyFileSync(source, target, constants.COPYFILE_FICLONE);
  lutimesSync(target, stats.atime, stats.mtime);
}

/** Where a link of the copy leads: into the copy where it led into the work, and else where it led. */
function toLink({ from, to }: CopyTops, path: string): string {
  const link = join(from, path);
  const leads = readlinkSync(link);
  const named = resolve(dirname(link), leads);
  const real = isWithin(named, from) ? named : (findReal(link) ?? named);
  if (isWithin(real, from)) {
    const isPlain = !isAbsolute(leads) && real === named && !leavesTop(path, leads);
    return isPlain ? leads : relative(dirname(join(to, path)), join(to, relative(from, real))) || '.';
  }
  return named;
}

/** Whether the words of a relative link lead over the top. */
function leavesTop(path: string, leads: string): boolean {
  return posix.join(posix.dirname(path), leads).startsWith('..');
}

function copyReadable(tops: CopyTops, path: string): boolean {
  const stats = lstatSync(join(tops.from, path), { throwIfNoEntry: false });
  if (stats === undefined) return true;
  try {
    copyOne(tops, path, stats);
    if (stats.isFile()) leadProgram(tops, path, stats);
    return true;
  } catch (error) {
    if (isUnreadable(error)) return false;
    throw error;
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

const MAX_SCRIPT_BYTES = 256 << 10;

/** The programs of a Python environment name the interpreter by its whole path: those of the copy are to use the packages of the copy, and to write there. */
function leadProgram({ from, to }: CopyTops, path: string, stats: Stats): void {
  const environment = dirname(dirname(path));
  if (basename(dirname(path)) !== 'bin' || stats.size > MAX_SCRIPT_BYTES) return;
  if (lstatSync(join(from, environment, 'pyvenv.cfg'), { throwIfNoEntry: false }) === undefined) return;
  // Byte by byte, since one of them may be no text.
  const text = readFileSync(join(to, path), 'latin1');
  const [named, copied] = [join(from, environment), join(to, environment)].map((folder) => Buffer.from(folder).toString('latin1'));
  if (named === undefined || copied === undefined || !text.includes(named) || text.includes('\0')) return;
  writeFileSync(join(to, path), text.replaceAll(named, copied), 'latin1');
  lutimesSync(join(to, path), stats.atime, stats.mtime);
}

/** Null where it is more than there is room for. */
function listFiles(
  top: string,
  path: string,
  room: CopyBudget,
  leftOut: string[],
): { readonly paths: readonly string[]; readonly bytes: number } | null {
  const paths: string[] = [];
  const waiting = [path];
  let [bytes, seen] = [0, 0];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const stats = lstatSync(join(top, next), { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      const names = readNames(join(top, next), room.files - seen);
      if (names === null) leftOut.push(next);
      else for (const name of names) waiting.push(posix.join(next, name));
      seen += names?.length ?? 0;
    } else if (stats?.isFile() || stats?.isSymbolicLink()) {
      paths.push(next);
      bytes += stats.size;
    }
    if (bytes > room.bytes || seen > room.files || performance.now() > room.endsAtMs) return null;
  }
  return { paths, bytes };
}

/** The names in a folder, one more than asked for where there are more; null where it cannot be read. */
function readNames(folder: string, most: number): readonly string[] | null {
  const names: string[] = [];
  try {
    const opened = opendirSync(folder);
    try {
      for (let entry = opened.readSync(); entry !== null && names.length <= most; entry = opened.readSync()) names.push(entry.name);
    } finally {
      opened.closeSync();
    }
    return names;
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

const MAX_NOTE_BYTES = 4 << 20;

/** Whether a file tells an interpreter or a build to take files of the work by their whole path: an editable install, or a build folder of CMake. */
function leadsBack(top: string, path: string): boolean {
  const name = basename(path);
  const isNote =
    /\.(pth|egg-link)$/.test(name) || name.startsWith('__editable__') || name === 'CMakeCache.txt' || name === 'direct_url.json';
  if (!isNote) return false;
  const stats = lstatSync(join(top, path), { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > MAX_NOTE_BYTES) return false;
  try {
    const text = readFileSync(join(top, path), 'utf8');
    return name === 'direct_url.json' ? isEditable(top, text) : namesTop(top, text);
  } catch {
    return false;
  }
}

/** Also where the path is written through a link that leads there. */
function namesTop(top: string, text: string): boolean {
  if (text.split(top).some((rest, index) => index > 0 && !/^[\w.-]/.test(rest))) return true;
  return text.split(/\r?\n/).some((line) => {
    const real = isAbsolute(line.trim()) ? findReal(line.trim()) : null;
    return real !== null && isWithin(real, top);
  });
}

function isEditable(top: string, text: string): boolean {
  if (!/"editable"\s*:\s*true/.test(text)) return false;
  const url = /"(file:[^"]*)"/.exec(text)?.[1];
  if (url === undefined) return false;
  const path = fileURLToPath(url);
  return isWithin(findReal(path) ?? path, top);
}
