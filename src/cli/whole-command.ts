import { runCommandLine } from './command-line.ts';
import { createContext } from './create-context.ts';
import { describeError } from './describe-error.ts';
import { loadCommand } from './load-command.ts';
import { openPlainOutput } from './plain-output.ts';
import { plainStyle } from './style.ts';

/** They end after a few lines, and editors and scripts call them again and again. */
const COMMANDS_OF_FEW_LINES = ['validate', 'explain'];

/**
 * The entry of the bundle that holds all of the command (`run-compiled.ts`): what a module imports is loaded with it, so everything that
 * only some commands need is imported dynamically.
 *
 * @param args the words after the command name
 * @returns the exit code
 */
export async function runWholeCommand(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  const outputs = COMMANDS_OF_FEW_LINES.includes(args[0] ?? '')
    ? { stdout: openPlainOutput(1, () => process.stdout), stderr: openPlainOutput(2, () => process.stderr) }
    : process;
  try {
    return await runCommandLine(args, createContext(env, { loadApp: () => import('../app/index.ts'), loadCommand }, outputs));
  } catch (error) {
    // The command line never throws: this is the context, which has no terminal yet.
    const { text, exitCode } = describeError(error, { style: plainStyle, debug: false });
    process.stderr.write(text);
    return exitCode;
  }
}

export { COMMAND_NAMES } from './command-table.ts';
