/** What must be right of a tarball before anybody installs it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const NEEDED_FILES = ['README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'dist/THIRD_PARTY_LICENSES.txt', 'dist/types/index.d.ts'];
const NEEDED_KEYS = ['repository', 'bugs', 'license', 'engines', 'optionalDependencies'];

/**
 * @param {string} tarball
 * @param {string} place a temporary folder
 * @param {string} root of the checkout
 * @returns {string[]} what is wrong, a sentence each
 */
export function checkManifest(tarball, place, root) {
  const folder = join(place, 'manifest');
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', tarball, '-C', folder]);
  const packed = join(folder, 'package');
  const manifest = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
  const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  return [
    ...NEEDED_KEYS.filter((key) => manifest[key] === undefined).map((key) => `package.json has no ${key}`),
    ...['scripts', 'devDependencies'].filter((key) => manifest[key] !== undefined).map((key) => `the packed package.json has ${key}`),
    ...['ralph', 'ralph-hats'].filter((name) => manifest.bin?.[name] === undefined).map((name) => `there is no command ${name}`),
    ...NEEDED_FILES.filter((file) => !existsSync(join(packed, file))).map((file) => `${file} is not packed`),
    ...(new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d$`, 'm').test(changes)
      ? []
      : [`CHANGELOG.md has no dated heading for ${manifest.version}`]),
  ];
}
