import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Files below folders of the project, sorted; folders that do not exist are empty.
 *
 * @param {string[]} folders relative to the project
 * @param {string[]} extensions with their dot
 * @param {string} root the project; this one, unless another checkout is looked at
 * @returns {string[]} paths relative to the project, as seen from there
 */
export function listSources(folders, extensions, root = ROOT) {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile() && extensions.some((extension) => file.name.endsWith(extension)))
    .map((file) => relative(root, join(file.parentPath, file.name)))
    .filter((path) => !path.includes('node_modules'))
    .sort();
}
