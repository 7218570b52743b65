import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, lutimes, mkdir, readdir, readlink, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { toErrorCode } from '../../core/values/errors.ts';
import { inLanes } from './in-lanes.ts';
import { removeShared } from './remove-shared.ts';

const TOKEN = /^[0-9a-f]{16}$/;

/** A name for the folder of a viewer that says nothing, and that no other viewer can guess. */
export function createViewerToken(): string {
  return randomBytes(8).toString('hex');
}

/**
 * The folder of a viewer.
 *
 * @throws RangeError where the token is none of ours: one from a file may be `..`
 */
export function toViewerRoot(folder: string, token: string): string {
  if (!TOKEN.test(token)) throw new RangeError(`${JSON.stringify(token)} is no token of a viewer`);
  return join(folder, token);
}

/**
 * Copies of a project lie in folders of this name: whoever looks through the folder of the run, or of an agent, for tests and sources (`node --test`, jest,
 * vitest, tsc) would take them for its own.
 */
export const PASSED_OVER = 'node_modules';

/** The folder in which a viewer sees the others, in its own. Throws RangeError as `toViewerRoot`. */
export function toViewFolder(workspace: string, token: string): string {
  return toViewerRoot(join(workspace, '.agent', PASSED_OVER), token);
}

/** By what the others know an agent. */
const NAME = /^agent[1-9]\d{0,5}$/;
/** In the folder of a viewer, beside the agents: hidden, so that searches and `agent*` pass over it. */
const UNFINISHED = /^\.agent\d+\.[0-9a-f]{16}\.tmp$/;
const OLD = /^\.agent\d+\.[0-9a-f]{16}\.old$/;

/**
 * Puts a copy of a snapshot at `<viewerRoot>/<name>` that only can be read, and whose times say nothing. The whole copy takes the place of the one before,
 * which stays under another name for those who are reading it, until {@link dropOld}.
 *
 * @param snapshot as `takeSnapshot` made it
 * @param viewerRoot of one viewer, for which one snapshot at a time is shared
 * @throws the system's error; what was shown before is shown on. RangeError for a name that is no `agent1`
 */
export async function shareSnapshot(snapshot: string, viewerRoot: string, name: string): Promise<void> {
  if (!NAME.test(name)) throw new RangeError(`${JSON.stringify(name)} is no name of an agent`);
  const revision = join(viewerRoot, `.${name}.${createViewerToken()}`);
  const [unfinished, old, place] = [`${revision}.tmp`, `${revision}.old`, join(viewerRoot, name)];
  await mkdir(viewerRoot, { recursive: true });
  try {
    await copyReadOnly(snapshot, unfinished);
    const hadOld = await tryRename(place, old);
    try {
      await rename(unfinished, place);
    } catch (error) {
      if (hadOld) await rename(old, place);
      throw error;
    }
  } catch (error) {
    await removeShared(unfinished);
    throw error;
  }
}

/** Removes what a viewer was shown before, and what was left unfinished: not while something is being shared with it. */
export async function dropOld(viewerRoot: string): Promise<void> {
  const names = await readdir(viewerRoot).catch((error: unknown) => {
    if (toErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) if (OLD.test(name) || UNFINISHED.test(name)) await removeShared(join(viewerRoot, name));
}

/** Removes all that a viewer was shown. */
export function dropViewer(viewerRoot: string): Promise<void> {
  return removeShared(viewerRoot);
}

/** @returns false where nothing is there */
async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The first second of the year 2000. The time of a change of the inode cannot be set; that it is the time of the copy says nothing of the agent. */
const NO_TIME = new Date(Date.UTC(2000, 0, 1));

/** Folders become read-only last, from the deepest on: nothing could be put in them then, and each thing that is put in one changes its time. */
async function copyReadOnly(from: string, to: string): Promise<void> {
  const folders = [''];
  await mkdir(to);
  for (const folder of folders) {
    const entries = await readdir(join(from, folder), { withFileTypes: true });
    for (const entry of entries) if (entry.isDirectory()) folders.push(join(folder, entry.name));
    await inLanes(entries, async (entry) => {
      const path = join(folder, entry.name);
      const place = join(to, path);
      if (entry.isDirectory()) return mkdir(place).then(() => undefined);
      if (entry.isSymbolicLink()) await symlink(await readlink(join(from, path)), place);
      else if (entry.isFile()) await copyFileReadOnly(join(from, path), place);
      else return;
      await lutimes(place, NO_TIME, NO_TIME);
    });
  }
  for (const folder of folders.reverse()) {
    await lutimes(join(to, folder), NO_TIME, NO_TIME);
    await chmod(join(to, folder), 0o555);
  }
}

/** Who may run it may do so still. */
async function copyFileReadOnly(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  const { mode } = await lstat(to);
  await chmod(to, (mode & 0o111) === 0 ? 0o444 : 0o555);
}
