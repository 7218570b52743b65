import type { Environment } from '../core/values/environment.ts';

/** What each of the bundles of commands exports (`whole-command.ts`, `lean-command.ts`, `view-command.ts`), for `main.ts`, which loads one of them. */
export interface CommandBundle {
  /**
   * Runs a command line in this process. Never rejects.
   *
   * @param args the words after the command name
   * @returns the exit code
   */
  readonly runCommandLine: (args: readonly string[], env: Environment) => Promise<number>;
  /** Whether this call needs what only the bundle with all commands holds; absent: none does. Never throws. */
  readonly needsAll?: (args: readonly string[], env: Environment) => boolean;
  /** The names of all commands, also of those that the bundle does not hold. */
  readonly COMMAND_NAMES: readonly string[];
}
