import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package, whether it runs from `dist/` or from `src/app/`. */
export function findPackageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (isPackageFolder(folder)) return folder;
    if (dirname(folder) === folder) return process.cwd();
  }
}

function isPackageFolder(folder: string): boolean {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown }).name === 'ralph-hats';
  } catch {
    return false;
  }
}

/**
 * Puts an executable `ralph` into a folder of the run's own, for `RALPH_BIN` and the agents' PATH: a shell script that starts exactly this
 * version with exactly this Node.js, whatever the agent's shell thinks of PATH.
 *
 * @returns its absolute path
 */
export function writeAgentCommand(binDir: string): string {
  const target = join(findPackageFolder(), 'bin', 'ralph.js');
  const path = join(binDir, 'ralph');
  const script = `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(target)} "$@"\n`;
  mkdirSync(binDir, { recursive: true });
  if (readText(path) === script) return path;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, script);
  chmodSync(draft, 0o755);
  renameSync(draft, path);
  return path;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
