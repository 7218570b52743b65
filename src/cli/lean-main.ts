import { runCommandLine } from './command-line.ts';
import { createContext } from './create-context.ts';
import { loadLeanCommand } from './load-lean-command.ts';
import { openPlainOutput } from './plain-output.ts';

/**
 * The entry of the bundle that holds the lean commands and nothing else.
 *
 * @returns the exit code
 */
export function mainLean(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  const loadApp = (): Promise<never> => Promise.reject(new Error('a lean command asked for the composition root'));
  const outputs = { stdout: openPlainOutput(1, () => process.stdout), stderr: openPlainOutput(2, () => process.stderr) };
  return runCommandLine(args, createContext(env, { loadApp, loadCommand: loadLeanCommand }, outputs));
}
