import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import type { ToolContext } from '../tool-context.ts';

type Surroundings = Pick<ToolContext, 'env' | 'jail'>;

/**
 * Where a program is, looked for as a shell does, but never in a folder that agents can write to: the workspace's `node_modules/.bin` is on the PATH
 * of whatever npm starts, and a tool that only reads must not run what lies there. `null` where there is none.
 */
export async function findProgram(name: string, context: Surroundings): Promise<string | null> {
  for (const folder of (await toSafePath(context)).split(delimiter)) {
    const path = join(folder, name);
    if (folder !== '' && (await isProgram(path))) return path;
  }
  return null;
}

/** The PATH without relative folders and without those of the workspace. */
export async function toSafePath({ env, jail }: Surroundings): Promise<string> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const checked = await Promise.all(folders.map(async (folder) => ({ folder, real: await toReal(folder) })));
  return checked
    .filter(({ folder, real }) => isOutside(jail.workspace, folder) && isOutside(jail.workspace, real))
    .map(({ folder }) => folder)
    .join(delimiter);
}

function isOutside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way.startsWith('..') || isAbsolute(way);
}

async function toReal(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
