/**
 * Makes the tarball that is published: `node scripts/pack.mjs FOLDER`, after a build. What npm would pack, but for what only a checkout needs in
 * its manifest: scripts (`prepare` would run at every install from git or a folder) and the packages for development.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LEFT_OUT = ['scripts', 'devDependencies'];

/**
 * @param {string} folder where the tarball goes
 * @returns {string} its absolute path
 */
export function pack(folder) {
  const place = mkdtempSync(join(tmpdir(), 'ralph-pack-'));
  try {
    const raw = runNpmPack(ROOT, place);
    execFileSync('tar', ['-xzf', raw, '-C', place]);
    const packed = join(place, 'package');
    const manifest = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
    const published = Object.fromEntries(Object.entries(manifest).filter(([key]) => !LEFT_OUT.includes(key)));
    writeFileSync(join(packed, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
    mkdirSync(folder, { recursive: true });
    return runNpmPack(packed, resolve(folder));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function runNpmPack(cwd, destination) {
  const before = new Set(readdirSync(destination));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', destination], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const made = readdirSync(destination).find((name) => name.endsWith('.tgz') && !before.has(name));
  if (made === undefined) throw new Error(`npm pack made no new tarball in ${destination}: is an old one there?`);
  return join(destination, made);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error('Where to? node scripts/pack.mjs FOLDER');
    process.exitCode = 2;
  } else console.log(pack(folder));
}
