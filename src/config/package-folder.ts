import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package, whether it runs from `dist/` or from `src/`. */
export function findPackageFolder(): string {
  packageFolder ??= lookForPackage();
  return packageFolder;
}

let packageFolder: string | undefined;

function lookForPackage(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (isPackageFolder(folder)) return folder;
    if (dirname(folder) === folder) return process.cwd();
  }
}

/** The absolute path of a page of the guide, such as `gates`: the docs are part of the package, not of the user's project. */
export function findGuidePage(page: string): string {
  return join(findPackageFolder(), 'docs', 'guide', `${page}.md`);
}

function isPackageFolder(folder: string): boolean {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown }).name === 'ralph-hats';
  } catch {
    return false;
  }
}
