import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';

/** A program that can be started, or why not, in words for a person. */
export type FoundCommand = { readonly path: string } | { readonly problem: string };

/** Looks a program up as the system would: a name in `searchPath`, anything with a slash as a path from `cwd`. Starts nothing. */
export function findCommand(command: string, cwd: string, searchPath: string | undefined): FoundCommand {
  if (command === '') return { problem: 'no command is configured' };
  if (command.includes('\0')) return { problem: 'the command holds a zero byte' };
  if (command.includes('/')) return checkPath(resolve(cwd, command), command);
  let refused: string | undefined;
  for (const folder of (searchPath ?? '').split(delimiter)) {
    if (folder === '') continue;
    const found = checkPath(isAbsolute(folder) ? resolve(folder, command) : resolve(cwd, folder, command), command);
    if ('path' in found) return found;
    if (found.problem.includes('chmod')) refused ??= found.problem;
  }
  return { problem: refused ?? toMissing(command, cwd) };
}

function toMissing(command: string, cwd: string): string {
  const isHere = 'path' in checkPath(resolve(cwd, command), command);
  const hint = isHere ? `there is one in the working folder: write ./${command}` : 'install it, or give its path';
  return `"${command}" was not found in PATH; ${hint}`;
}

function checkPath(path: string, command: string): FoundCommand {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return { problem: `${path} is a folder, not a program` };
    accessSync(path, constants.X_OK);
    return { path };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES') return { problem: `${path} may not be executed (try: chmod +x ${command})` };
    return { problem: `not found: ${path}` };
  }
}
