import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tryOr } from '../../core/values/result.ts';

/**
 * - `found`: one of the folders has the file that Python would load.
 * - `missing`: a folder has the beginning of the path and no file for the rest; `file` is what it would be, beginning at that folder.
 * - `elsewhere`: no folder has its beginning, so that only what is installed can have it.
 */
export type PythonModule =
  | { readonly kind: 'found' }
  | { readonly kind: 'missing'; readonly file: string }
  | { readonly kind: 'elsewhere' };

/** A folder with one of these is a project around a package of its name, which may be installed. */
const PROJECT_FILES = ['pyproject.toml', 'setup.py', 'setup.cfg'];

/**
 * Looks for a module of Python in folders, by their files alone: nothing is run or loaded.
 *
 * @param module `package.module`
 * @param folders absolute
 */
export function findPythonModule(module: string, folders: readonly string[]): PythonModule {
  const names = module.split('.');
  const missing = folders.map((folder) => walk(folder, names));
  if (missing.includes(null)) return { kind: 'found' };
  const furthest = Math.max(...missing.map((at) => at ?? 0));
  return furthest === 0 ? { kind: 'elsewhere' } : { kind: 'missing', file: `${names.slice(0, furthest + 1).join('/')}.py` };
}

/** The number of the first name that is not there; `null`: all are. */
function walk(folder: string, names: readonly string[]): number | null {
  let at = folder;
  for (const [index, name] of names.entries()) {
    const found = lookUp(at, name);
    const isLast = index === names.length - 1;
    if (found === 'none' || (found === 'project' && index === 0)) return index;
    // A folder alone is a package without a word of code; a file has no modules in it.
    if (isLast ? found === 'folder' || found === 'project' : found === 'file') return isLast ? index : index + 1;
    at = join(at, name);
  }
  return null;
}

/** What Python would take for the name, in its order. */
function lookUp(folder: string, name: string): 'package' | 'file' | 'folder' | 'project' | 'none' {
  const inside = list(join(folder, name));
  if (inside?.some((file) => isModuleFile(file, '__init__')) === true) return 'package';
  if (list(folder)?.some((file) => isModuleFile(file, name)) === true) return 'file';
  if (inside === null) return 'none';
  return inside.some((file) => PROJECT_FILES.includes(file)) ? 'project' : 'folder';
}

/** `name.py`, or what is compiled of it: `name.cpython-312-x86_64-linux-gnu.so`. */
function isModuleFile(file: string, name: string): boolean {
  return file.startsWith(`${name}.`) && /^\.(?:pyc?|(?:[\w-]+\.)*(?:so|pyd))$/.test(file.slice(name.length));
}

function list(folder: string): readonly string[] | null {
  return tryOr(() => readdirSync(folder), null);
}
