import { runCompiled } from './run-compiled.ts';

/** Those of `lean-command.ts`. */
const LEAN_COMMANDS = ['validate', 'explain'];

/**
 * The eager part of the command: it answers what needs nothing else and loads the rest on demand.
 * It imports nothing but `run-compiled.ts`, which imports nothing itself: start-up time is measured against bare `node -e 0`.
 *
 * @param args the words after the command name
 * @returns the exit code
 */
export async function main(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') {
    process.stdout.write(`${RALPH_VERSION}\n`);
    return 0;
  }
  // The bundles lie beside the file that this one becomes.
  const bundle = LEAN_COMMANDS.includes(args[0] ?? '') ? 'lean.cjs' : 'command.cjs';
  return runCompiled(args, env, `${import.meta.dirname}/${bundle}`);
}
