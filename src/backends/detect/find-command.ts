import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { toShellWord } from '../../core/text/shell-word.ts';
import { accept, type Refusal, type Result, refuse } from '../../core/values/result.ts';

/** The absolute path of a program that can be started, or why it cannot and what to do about it. */
type FoundCommand = Result<string>;

/** Looks a program up as the system would: a name in `searchPath`, anything with a slash as a path from `cwd`. Starts nothing. */
export function findCommand(command: string, cwd: string, searchPath: string | undefined): FoundCommand {
  if (command === '') return refuse({ reason: 'no command is configured', advice: 'Name its program: command.' });
  if (command.includes('\0')) return refuse({ reason: 'the command holds a zero byte', advice: 'Write the command without it.' });
  if (command.includes('/')) return checkPath(resolve(cwd, command), command);
  let unusable: FoundCommand | undefined;
  for (const folder of (searchPath ?? '').split(delimiter)) {
    if (folder === '') continue;
    const found = checkPath(isAbsolute(folder) ? resolve(folder, command) : resolve(cwd, folder, command), command);
    if (found.ok) return found;
    if (found.refused.isProtected === true) unusable ??= found;
  }
  return unusable ?? refuse(explainMissing(command, cwd));
}

/** Why nothing of this name is in PATH, and whether the file in the working folder was meant. */
function explainMissing(command: string, cwd: string): Refusal {
  const here = checkPath(resolve(cwd, command), `./${command}`);
  const reason = `"${command}" was not found in PATH; `;
  const meant = { reason: `${reason}there is one in the working folder: write ./${command}`, advice: `Did you mean ./${command}?` };
  if (here.ok) return meant;
  if (here.refused.isProtected !== true)
    return { reason: `${reason}install it, or give its path`, advice: 'Install it, or give its path.' };
  return { ...meant, advice: `${meant.advice} It has to be executable as well: ${toChmod(`./${command}`)}` };
}

function toChmod(path: string): string {
  return `chmod +x ${toShellWord(path)}`;
}

/** `isProtected`: the file is there and may not be executed. */
function checkPath(path: string, command: string): Result<string, Refusal & { readonly isProtected?: true }> {
  try {
    const stats = statSync(path);
    if (stats.isDirectory())
      return refuse({ reason: `${path} is a folder, not a program`, advice: `${path} is a folder: name the program in it` });
    accessSync(path, constants.X_OK);
    return accept(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // A program that was looked up in PATH lies elsewhere than its name says.
    const chmod = toChmod(command.includes('/') ? command : path);
    if (code === 'EACCES')
      return refuse({ reason: `${path} may not be executed (try: ${chmod})`, advice: `Make it executable: ${chmod}`, isProtected: true });
    return refuse({ reason: `not found: ${path}`, advice: `Put the program there, or correct the path: ${path}` });
  }
}
