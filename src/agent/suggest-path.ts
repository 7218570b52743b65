import { basename, dirname, join } from 'node:path';
import { findNearMiss } from '../core/index.ts';
import { readFolder } from './read-folder.ts';
import type { Jail } from './tool-context.ts';

const maxNames = 2000;

/** A question with the name that was most likely meant instead of one that is not there; empty where nothing is near, and where it is there. */
export async function suggestPath(jail: Jail, real: string): Promise<string> {
  const folder = await jail.resolveRead(dirname(real));
  if ('refused' in folder) return '';
  const content = await readFolder(folder.path, folder.path, maxNames);
  if ('refused' in content) return '';
  const names = content.entries.map((entry) => entry.name);
  if (names.includes(basename(real))) return '';
  const near = findNearMiss(basename(real), names);
  return near === undefined ? '' : `Did you mean "${jail.toShown(join(folder.path, near))}"? `;
}
