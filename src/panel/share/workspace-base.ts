import { lstat, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { RalphError } from '../../core/values/errors.ts';
import { isJsonObject, parseJson } from '../../core/values/json.ts';

/** As much as a workspace is made of, and as is taken over from it. */
export const WORKSPACE_LIMITS = { maxFiles: 100_000, maxBytes: 2_000_000_000 } as const;

/** A regular file, as it was when it came along. */
export interface BaseFile {
  readonly size: number;
  /** For people, and for who only wants a hint. */
  readonly mtimeMs: number;
  /** The rights: nine bits. */
  readonly mode: number;
  /** Of its content: the time of a file says nothing of a copy of it. */
  readonly hash: string;
}

/** A link, as it was when it came along. */
export interface BaseLink {
  /** What it said. */
  readonly link: string;
  /** What it says in a snapshot; null where it leads to nothing there. */
  readonly shown: string | null;
}

/** What a workspace was made of. */
export interface WorkspaceBase {
  /** What did not come along although it is there, and may be nobody's answer: the state folder, what is shared by links. */
  readonly skipped: readonly string[];
  /** Which folder it is, for the system: one that was removed and made anew is another. Absent in those of earlier versions. */
  readonly root?: string;
  /** By path, relative to the workspace, with `/`. */
  readonly files: ReadonlyMap<string, BaseFile | BaseLink>;
}

/** Where it is said what a workspace was made of. */
export function toBasePath(workspace: string): string {
  return `${workspace}.base.json`;
}

/** Which folder stands at a path, links not followed; `null` for none. */
export async function readRoot(path: string): Promise<string | null> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  return stats?.isDirectory() === true ? `${stats.dev}:${stats.ino}` : null;
}

/** A file of no use but to be there: a folder that was removed and made anew may have the number of the old one. */
const MARK = ['.agent', '.workspace'] as const;

/** Marks a folder as that which was made for an agent. */
export async function markRoot(workspace: string): Promise<void> {
  const place = join(workspace, ...MARK);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, '');
}

/** What the folder of an agent is now: that which was made for it; perhaps not, for its mark is gone; another. */
export async function checkRoot(workspace: string): Promise<'same' | 'unmarked' | 'other'> {
  const text = await readFile(toBasePath(workspace), 'utf8').catch(() => null);
  const made = text === null ? undefined : parseBase(text)?.root;
  if (made === undefined) return 'same';
  if (made !== (await readRoot(workspace))) return 'other';
  const mark = await lstat(join(workspace, ...MARK)).catch(() => null);
  return mark === null ? 'unmarked' : 'same';
}

/** Writes a base, whole or not at all. */
export async function writeBase(path: string, { skipped, root, files }: WorkspaceBase): Promise<void> {
  await writeFile(`${path}.tmp`, JSON.stringify({ skipped, root, files: Object.fromEntries(files) }));
  await rename(`${path}.tmp`, path);
}

/**
 * Reads a base.
 *
 * @throws RalphError `panel-workspace` where it is none: without it nobody knows what an agent changed
 */
export async function readBase(path: string): Promise<WorkspaceBase> {
  const text = await readFile(path, 'utf8');
  const base = parseBase(text);
  if (base !== null) return base;
  throw new RalphError({
    code: 'panel-workspace',
    what: `What the workspace of an agent was made of cannot be read: ${path}.`,
    why: 'Without it nobody knows what the agent changed, so nothing of its work was brought into the folder of the run.',
    fix: 'Compare its workspace, which is beside that file, with the folder, and take over by hand what you want.',
  });
}

function parseBase(text: string): WorkspaceBase | null {
  const value = parseJson(text);
  if (!isJsonObject(value) || !Array.isArray(value['skipped']) || !isJsonObject(value['files'])) return null;
  const skipped: unknown[] = value['skipped'];
  const files = new Map<string, BaseFile | BaseLink>();
  for (const [path, entry] of Object.entries(value['files'])) {
    if (!isPlainPath(path) || !(isFile(entry) || isLink(entry))) return null;
    files.set(path, entry);
  }
  const root = typeof value['root'] === 'string' ? { root: value['root'] } : {};
  return skipped.every((path) => typeof path === 'string') ? { skipped, ...root, files } : null;
}

function isFile(value: unknown): value is BaseFile {
  if (!isJsonObject(value) || typeof value['hash'] !== 'string') return false;
  return [value['size'], value['mtimeMs'], value['mode']].every((part) => typeof part === 'number');
}

function isLink(value: unknown): value is BaseLink {
  return isJsonObject(value) && typeof value['link'] === 'string' && (value['shown'] === null || typeof value['shown'] === 'string');
}

/** Whether a path names something below a folder, and says so in one way only. */
function isPlainPath(path: string): boolean {
  if (path === '' || path === '.' || path.includes('\0') || posix.isAbsolute(path)) return false;
  return posix.normalize(path) === path && !path.endsWith('/') && path.split('/')[0] !== '..';
}
