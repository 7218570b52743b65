import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\s\]]+)\2/g;

/**
 * Makes a folder of emitted declarations fit to publish: keeps what the entries reach, names modules as consumers see them, and throws when that needs a package which a consumer does not get:
 * bundled packages may not show in published types.
 *
 * @param {string} folder where the declarations were written
 * @param {string[]} entries declaration files in it that package.json exports
 * @param {string[]} dependencies packages that are installed with ours
 */
export function checkPublishedTypes(folder, entries, dependencies) {
  const reached = new Set();
  const problems = [];
  const visit = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, 'utf8');
    // The compiler keeps the sources' `.ts` in declarations; consumers know these modules as `.js`.
    writeFileSync(
      file,
      text.replace(SPECIFIER, (whole, _before, _quote, specifier) =>
        specifier.startsWith('.') ? whole.replace(/\.ts(['"])$/, '.js$1') : whole,
      ),
    );
    for (const [, , , specifier] of text.matchAll(SPECIFIER)) {
      if (specifier.startsWith('.')) visit(resolve(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')));
      else if (!isInstalled(specifier, dependencies)) problems.push(`${file.slice(folder.length + 1)} imports ${specifier}`);
    }
  };
  for (const entry of entries) visit(join(folder, entry));
  if (problems.length > 0) {
    throw new Error(`published types need packages that are only bundled; hide them behind own types:\n  ${problems.join('\n  ')}`);
  }
  removeUnreached(folder, reached);
}

function isInstalled(specifier, dependencies) {
  return (
    specifier.startsWith('node:') ||
    builtinModules.includes(specifier) ||
    dependencies.some((name) => specifier === name || specifier.startsWith(`${name}/`))
  );
}

function removeUnreached(folder, reached) {
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !reached.has(path)) rmSync(path);
  }
}
