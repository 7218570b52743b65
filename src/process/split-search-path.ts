import { delimiter, isAbsolute, relative } from 'node:path';
import { findReal } from './paths.ts';

/**
 * A PATH in two: folders outside of a folder, and those inside, where agents may have put programs under well-known names (`node_modules/.bin` is on the PATH
 * of whatever npm starts). Relative folders are inside. Each part is again a PATH, in the same order; empty where nothing belongs to it.
 *
 * @param folder absolute
 */
export function splitSearchPath(searchPath: string | undefined, folder: string): { readonly outside: string; readonly inside: string } {
  const roots = [folder, findReal(folder) ?? folder];
  const isInside = (path: string): boolean =>
    !isAbsolute(path) || [path, findReal(path) ?? path].some((place) => roots.some((root) => !isAway(relative(root, place))));
  const folders = (searchPath ?? '').split(delimiter).filter((path) => path !== '');
  return {
    outside: folders.filter((path) => !isInside(path)).join(delimiter),
    inside: folders.filter(isInside).join(delimiter),
  };
}

function isAway(way: string): boolean {
  return way === '..' || way.startsWith('../') || way.startsWith('..\\') || isAbsolute(way);
}
