import { chmodSync, lstatSync, readFileSync, utimesSync } from 'node:fs';
import { lstat, mkdir, readlink, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { maskControls } from '../../core/text/mask-controls.ts';
import { RalphError } from '../../core/values/errors.ts';
import { copyInPlace } from './copy-in-place.ts';
import { hashBytes, hashFile, MAX_AT_ONCE_BYTES } from './hash-file.ts';
import { inLanes } from './in-lanes.ts';
import { resolveInner } from './inner-link.ts';
import { type FolderList, type Found, listFolder } from './list-folder.ts';
import { isOwn } from './list-workspace.ts';
import { removeShared } from './remove-shared.ts';
import { type BaseFile, type BaseLink, markRoot, readRoot, toBasePath, WORKSPACE_LIMITS, writeBase } from './workspace-base.ts';

/** A workspace to be opened. */
export interface WorkspaceOrder {
  /** The run's folder. */
  readonly from: string;
  /** Of the caller's making but for itself, below nothing that comes along. */
  readonly to: string;
  /** Folders that are not copied: links lead to those that are there. Relative, such as `node_modules`; what leads out is dropped. */
  readonly links: readonly string[];
  /** What does not come along, relative: the state folder, where it is not `.ralph`. */
  readonly skipped: readonly string[];
  readonly limits?: { readonly maxFiles?: number; readonly maxBytes?: number };
}

/**
 * Gives an agent a workspace of its own: the run's folder as it stands, with what nobody committed, with what git ignores and with secrets, for the agent
 * could read all of it there. Neither `.git` nor what Ralph and hats keep. One that is there already is left as it is.
 *
 * @returns where it is said what the workspace was made of
 * @throws RalphError `panel-workspace` where the folder is too large; the system's error where it cannot be read, or the workspace cannot be written
 */
export async function openWorkspace({ from, to, links, skipped, limits = {} }: WorkspaceOrder): Promise<string> {
  const base = toBasePath(to);
  if ((await isFolder(to)) && (await stat(base).catch(() => null)) !== null) return base;
  const top = await realpath(from);
  const shared = planShared(links);
  const apart = [...skipped.map((path) => posix.normalize(path).replace(/\/$/, '')), ...shared];
  const unfinished = `${to}.tmp`;
  await removeShared(unfinished);
  const onFound = createLimit({ ...WORKSPACE_LIMITS, ...limits });
  const isSkipped = (path: string): boolean => isOwn(path) || apart.includes(path);
  const list = await listFolder(top, { isSkipped, onFound, isLenient: true });
  try {
    await mkdir(unfinished, { recursive: true });
    const files = await copyAll(top, await realpath(unfinished), list);
    await inLanes(shared, (path) => linkShared(join(top, path), join(unfinished, path)));
    // One without a base: nobody could say what was changed in it. It goes first, or it would seem to have this one.
    await removeShared(to);
    await markRoot(unfinished);
    const root = (await readRoot(unfinished)) ?? '';
    await writeBase(base, { skipped: apart, root, files });
    await rename(unfinished, to);
    return base;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** In plain form. Of two that lie in each other the outer one: the inner would be made in the original. */
function planShared(names: readonly string[]): readonly string[] {
  const paths = names.filter((name) => name !== '' && !isAbsolute(name)).map((name) => posix.normalize(name).replace(/\/$/, ''));
  const plain = [...new Set(paths)].filter((path) => path !== '.' && path.split('/')[0] !== '..' && !path.split('/').some(isOwn));
  return plain.filter((path) => !plain.some((other) => path.startsWith(`${other}/`)));
}

/** Throws when there is too much of it, and says where the most is. */
function createLimit({ maxFiles, maxBytes }: Required<NonNullable<WorkspaceOrder['limits']>>): (found: Found) => void {
  const places = new Map<string, { count: number; bytes: number }>();
  let [count, bytes] = [0, 0];
  return ({ path, stats }) => {
    const size = stats.isFile() ? stats.size : 0;
    count += 1;
    bytes += size;
    const place = path.split('/')[0] ?? path;
    const known = places.get(place) ?? { count: 0, bytes: 0 };
    places.set(place, { count: known.count + 1, bytes: known.bytes + size });
    if (count <= maxFiles && bytes <= maxBytes) return;
    const by = count > maxFiles ? 'count' : 'bytes';
    const most = [...places].sort(([, a], [, b]) => b[by] - a[by])[0]?.[0] ?? place;
    throw toTooLarge(by === 'count' ? `${maxFiles.toLocaleString('en')} files and folders` : toSize(maxBytes), most);
  };
}

function toSize(bytes: number): string {
  return bytes < 1_000_000_000 ? `${bytes.toLocaleString('en')} bytes` : `${bytes / 1_000_000_000} GB`;
}

function toTooLarge(limit: string, most: string): RalphError {
  return new RalphError({
    code: 'panel-workspace',
    what: `The folder of the run holds more than ${limit}; most of what was counted is in ${maskControls(most)}.`,
    why: 'Each agent of a panel works in a copy of the folder, and so much is not copied for each of them.',
    fix: `List what can be rebuilt under worktree.link, and all agents share the existing one: worktree: {link: [node_modules, …]}.\nOr remove it, or start the run in a smaller folder.`,
  });
}

async function copyAll(top: string, to: string, { files, links, folders }: FolderList): Promise<ReadonlyMap<string, BaseFile | BaseLink>> {
  const base = new Map<string, BaseFile | BaseLink>();
  // One after another: each lies in one before it.
  for (const { path, stats } of folders) await mkdir(join(to, path), { mode: (stats.mode & 0o777) | 0o700 });
  await inLanes(files, async (found) => {
    const copied = await copyOne(top, to, found);
    if (copied !== null) base.set(found.path, copied);
  });
  const kept: (readonly [string, string])[] = [];
  await inLanes(links, async (path) => {
    const said = await readlink(join(top, path)).catch(() => null);
    const text = said === null ? null : await toInner(top, path, said);
    if (said === null || text === null) return;
    await symlink(text, join(to, path));
    kept.push([path, said]);
  });
  // Not before all are there: a link may lead over others.
  await inLanes(kept, async ([path, link]) => {
    base.set(path, { link, shown: (await resolveInner(to, join(to, path)))?.text ?? null });
  });
  return new Map([...base].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @returns null where it cannot be read */
async function copyOne(top: string, to: string, { path, stats }: Found): Promise<BaseFile | null> {
  const place = join(to, path);
  if ((await copyInPlace(join(top, path), place, () => true)) !== 'copied') return null;
  const mode = stats.mode & 0o777;
  // Without threads: for a file that was written just now each of these takes less time than handing it to one.
  const { size } = lstatSync(place);
  const hash = size <= MAX_AT_ONCE_BYTES ? hashBytes(readFileSync(place)) : await hashFile(place, size);
  chmodSync(place, mode);
  utimesSync(place, stats.atimeMs / 1000, stats.mtimeMs / 1000);
  return { size, mtimeMs: stats.mtimeMs, mode, hash };
}

/**
 * What a link says in the workspace: as it is, but for one that would lead from there into the run's own folder.
 *
 * @returns null where it leads out
 */
async function toInner(top: string, path: string, said: string): Promise<string | null> {
  const isInner = !isAbsolute(said) && posix.normalize(posix.join(posix.dirname(path), said)).split('/')[0] !== '..';
  const inner = await resolveInner(top, join(top, path));
  if (inner !== null) return isInner ? said : inner.text;
  // What it leads to may be made later, unless it is there and lies elsewhere.
  return isInner && (await stat(join(top, path)).catch(() => null)) === null ? said : null;
}

async function linkShared(original: string, place: string): Promise<void> {
  if ((await stat(original).catch(() => null)) === null || (await lstat(place).catch(() => null)) !== null) return;
  await mkdir(dirname(place), { recursive: true });
  await symlink(original, place);
}
