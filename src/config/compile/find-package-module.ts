import { dirname, join, relative } from 'node:path';
import { isJsonObject, type Json, parseJson, readOwn } from '../../core/values/json.ts';
import { tryOr } from '../../core/values/result.ts';
import { isFile, readTextFile } from '../layers/read-text-file.ts';

/** `name` or `@scope/name`, then what stands behind it: `/sub/path`. */
const SPECIFIER = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)((?:\/[^/]+)*)$/i;
/** Which entry of `exports` counts, of those that stand first. */
const CONDITIONS = ['node', 'import', 'module-sync', 'default'];
const MAX_DEPTH = 8;
const MAX_BYTES = 1_000_000;

/**
 * The file of a package that an `import` of it would load, looked for in the `node_modules` of a folder and of those above it; `null` for none.
 * Nothing is loaded. Patterns (`./*`) in `exports` are not read.
 *
 * @param folder absolute
 */
export function findPackageModule(specifier: string, folder: string): string | null {
  const [, name, behind = ''] = SPECIFIER.exec(specifier) ?? [];
  if (name === undefined) return null;
  for (let at = folder; ; at = dirname(at)) {
    const home = join(at, 'node_modules', name);
    const description = readDescription(home);
    if (description !== null) return findEntry(home, `.${behind}`, description);
    if (dirname(at) === at) return null;
  }
}

function readDescription(home: string): { readonly [key: string]: Json } | null {
  return tryOr(() => {
    const file = readTextFile(join(home, 'package.json'), MAX_BYTES);
    const read = file.ok ? parseJson(file.value) : undefined;
    return read !== undefined && isJsonObject(read) ? read : null;
  }, null);
}

function findEntry(home: string, subpath: string, { exports: declared = null, main }: { readonly [key: string]: Json }): string | null {
  if (declared !== null) return toFile(home, toTarget(declared, subpath));
  if (subpath !== '.') return toFile(home, subpath) ?? toFile(home, `${subpath}.js`);
  return (typeof main === 'string' ? (toFile(home, main) ?? toFile(home, `${main}.js`)) : null) ?? toFile(home, 'index.js');
}

function toTarget(declared: Json, subpath: string): Json {
  const isBySubpath = isJsonObject(declared) && Object.keys(declared).some((key) => key.startsWith('.'));
  if (isBySubpath) return toConditioned(readOwn(declared, subpath) ?? null);
  return subpath === '.' ? toConditioned(declared) : null;
}

/** What an importer gets of an entry: the first of several that is a path. */
function toConditioned(entry: Json, depth = 0): Json {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(entry)) return entry.map((item) => toConditioned(item, depth + 1)).find((target) => typeof target === 'string') ?? null;
  if (!isJsonObject(entry)) return entry;
  for (const [condition, inner] of Object.entries(entry)) {
    const target = CONDITIONS.includes(condition) ? toConditioned(inner, depth + 1) : null;
    if (target !== null) return target;
  }
  return null;
}

/** A file inside of the package; `null` for none. */
function toFile(home: string, target: Json): string | null {
  if (typeof target !== 'string') return null;
  const path = join(home, target);
  return !relative(home, path).startsWith('..') && isFile(path) ? path : null;
}
