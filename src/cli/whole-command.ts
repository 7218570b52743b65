import { runCommandLine } from './command-line.ts';
import { createContext } from './create-context.ts';
import { describeError } from './describe-error.ts';
import { loadCommand } from './load-command.ts';
import { plainStyle } from './style.ts';

/**
 * The entry of the bundle that holds all of the command (`run-compiled.ts`): what a module imports is loaded with it, so everything that
 * only some commands need is imported dynamically.
 *
 * @param args the words after the command name
 * @returns the exit code
 */
export async function runWholeCommand(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  try {
    return await runCommandLine(args, createContext(env, { loadApp: () => import('../app/index.ts'), loadCommand }));
  } catch (error) {
    // The command line never throws: this is the context, which has no terminal yet.
    const { text, exitCode } = describeError(error, { style: plainStyle, debug: false });
    process.stderr.write(text);
    return exitCode;
  }
}

export { COMMAND_NAMES } from './command-table.ts';
