import { readFile, rename, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { RalphError } from '../../core/values/errors.ts';
import { isJsonObject, parseJson } from '../../core/values/json.ts';

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
  /** By path, relative to the workspace, with `/`. */
  readonly files: ReadonlyMap<string, BaseFile | BaseLink>;
}

/** Where it is said what a workspace was made of. */
export function toBasePath(workspace: string): string {
  return `${workspace}.base.json`;
}

/** Writes a base, whole or not at all. */
export async function writeBase(path: string, { skipped, files }: WorkspaceBase): Promise<void> {
  await writeFile(`${path}.tmp`, JSON.stringify({ skipped, files: Object.fromEntries(files) }));
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
  return skipped.every((path) => typeof path === 'string') ? { skipped, files } : null;
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
