import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { toShellWord } from '../core/index.ts';

/** A program that can be started, or why not and what to do about it, in words for a person. */
export type FoundCommand = { readonly path: string } | NotFound;

interface NotFound {
  readonly problem: string;
  readonly fix: string;
}

/** Looks a program up as the system would: a name in `searchPath`, anything with a slash as a path from `cwd`. Starts nothing. */
export function findCommand(command: string, cwd: string, searchPath: string | undefined): FoundCommand {
  if (command === '') return { problem: 'no command is configured', fix: 'Name its program: command.' };
  if (command.includes('\0')) return { problem: 'the command holds a zero byte', fix: 'Write the command without it.' };
  if (command.includes('/')) return checkPath(resolve(cwd, command), command);
  let refused: NotFound | undefined;
  for (const folder of (searchPath ?? '').split(delimiter)) {
    if (folder === '') continue;
    const found = checkPath(isAbsolute(folder) ? resolve(folder, command) : resolve(cwd, folder, command), command);
    if ('path' in found) return found;
    if (found.problem.includes('chmod')) refused ??= found;
  }
  return refused ?? toMissing(command, cwd);
}

function toMissing(command: string, cwd: string): NotFound {
  const here = checkPath(resolve(cwd, command), `./${command}`);
  const problem = `"${command}" was not found in PATH; `;
  const meant = { problem: `${problem}there is one in the working folder: write ./${command}`, fix: `Did you mean ./${command}?` };
  if ('path' in here) return meant;
  if (here.problem.includes('chmod')) return { ...meant, fix: `${meant.fix} It has to be executable as well: ${toChmod(`./${command}`)}` };
  return { problem: `${problem}install it, or give its path`, fix: 'Install it, or give its path.' };
}

function toChmod(path: string): string {
  return `chmod +x ${toShellWord(path)}`;
}

function checkPath(path: string, command: string): FoundCommand {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return { problem: `${path} is a folder, not a program`, fix: `${path} is a folder: name the program in it` };
    accessSync(path, constants.X_OK);
    return { path };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // What was looked up in PATH lies elsewhere than its name says.
    const chmod = toChmod(command.includes('/') ? command : path);
    if (code === 'EACCES') return { problem: `${path} may not be executed (try: ${chmod})`, fix: `Make it executable: ${chmod}` };
    return { problem: `not found: ${path}`, fix: `Put the program there, or correct the path: ${path}` };
  }
}
