import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { findPackageFolder } from '../config/index.ts';
import { toShellWord } from '../core/index.ts';

/**
 * Puts an executable `ralph` into a folder of the run's own, for `RALPH_BIN` and the agents' PATH: a shell script that starts exactly this
 * version with exactly this Node.js, whatever the agent's shell thinks of PATH.
 *
 * @returns its absolute path
 */
export function writeAgentCommand(binDir: string): string {
  const target = join(findPackageFolder(), 'bin', 'ralph.js');
  const path = join(binDir, 'ralph');
  const script = `#!/bin/sh\nexec ${toShellWord(process.execPath)} ${toShellWord(target)} "$@"\n`;
  mkdirSync(binDir, { recursive: true });
  if (readText(path) === script) return path;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, script);
  chmodSync(draft, 0o755);
  renameSync(draft, path);
  return path;
}

/** How a person types Ralph in a terminal: by its name where a folder of PATH has it (one that only npm knows is no such folder), else by its file. */
export function toTypedCommand(env: Readonly<Record<string, string | undefined>>): string {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !folder.includes('node_modules'));
  if (folders.some((folder) => existsSync(join(folder, 'ralph')))) return 'ralph';
  const file = join(findPackageFolder(), 'bin', 'ralph.js');
  return `node ${toShellWord(file)}`;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
