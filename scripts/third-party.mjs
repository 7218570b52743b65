import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * The licence texts of the packages whose modules were bundled.
 *
 * @param {string[]} modules paths of every bundled module
 * @returns {string} one section per package, sorted by name
 */
export function collectLicences(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
  const sections = [...folders].map(describe).sort();
  return `Ralph contains code of these packages.\n\n${sections.join('\n')}`;
}

/** The package folder a module belongs to; undefined for our own modules and the bundler's runtime. */
function packageFolder(path) {
  if (!path.includes(`${sep}node_modules${sep}`) || path.startsWith('\0')) return undefined;
  let folder = dirname(path);
  // Packages may hold nested package.json files without a name, which only set the module type.
  while (!isPackage(folder)) {
    if (folder === dirname(folder)) throw new Error(`no package.json above ${path}`);
    folder = dirname(folder);
  }
  return folder;
}

function isPackage(folder) {
  const file = join(folder, 'package.json');
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version !== undefined;
}

function describe(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0 && license === 'MIT' && author !== undefined) texts.push(toMitText(author));
  if (texts.length === 0) throw new Error(`${name} ships no licence text: it cannot be bundled, move it to "dependencies"`);
  return `--- ${name} ${version} (${license}) ---\n\n${texts.join('\n\n')}\n`;
}

/** The MIT licence, of which only the holder differs, for a package that names it and its author without shipping the text. */
function toMitText(author) {
  const holder = typeof author === 'string' ? author : author.name;
  return readFileSync(new URL('../LICENSE', import.meta.url), 'utf8')
    .trim()
    .replace(/^Copyright .*$/m, `Copyright (c) ${holder}`);
}
