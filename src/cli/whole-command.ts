import { createContext } from './create-context.ts';
import { loadCommand } from './load-command.ts';
import { runBundled } from './run-bundled.ts';

/**
 * The entry of the bundle that holds all of the command (`run-compiled.ts`): what a module imports is loaded with it, so everything that
 * only some commands need is imported dynamically.
 *
 * @param args the words after the command name
 * @returns the exit code
 */
export function runCommandLine(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  return runBundled(args, () => createContext(env, { loadApp: () => import('../app/index.ts'), loadCommand }));
}

export { COMMAND_NAMES } from './command-table.ts';
