import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const folders: string[] = [];

/** A folder for a test, without links on the way. */
export function createFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-share-')));
  folders.push(folder);
  return folder;
}

/** Removes the folders that were made, also what may not be read or written there. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) {
    openFolder(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function openFolder(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) openFolder(join(folder, entry.name));
}

/** Writes files, with their folders; paths relative to `top`. */
export function writeFiles(top: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
}

/** Everything in a folder, by path, the folder itself as `.`: kind and rights, or content, or where a link leads. */
export function photograph(top: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const look = (path: string): void => {
    const place = join(top, path);
    const stats = lstatSync(place);
    if (stats.isDirectory()) {
      found.set(path, `folder ${(stats.mode & 0o7777).toString(8)}`);
      for (const name of readdirSync(place).sort()) look(join(path, name));
    } else if (stats.isSymbolicLink()) found.set(path, `-> ${readlinkSync(place)}`);
    else found.set(path, stats.isFile() ? readFileSync(place, 'utf8') : 'special');
  };
  look('.');
  return found;
}

/** The files and links of a photograph, but for the mark of the folder of an agent. */
export function listFiles(top: string): Readonly<Record<string, string>> {
  const isShown = ([path, what]: readonly [string, string]): boolean => !what.startsWith('folder ') && path !== '.agent/.workspace';
  return Object.fromEntries([...photograph(top)].filter(isShown));
}
