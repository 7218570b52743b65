import { runCompiled } from './run-compiled.ts';
import { toUnwrittenText } from './unwritten-text.ts';

/** Those of `lean-command.ts`. */
const LEAN_COMMANDS = ['validate', 'explain'];

/**
 * The eager part of the command: it answers what needs nothing else and loads the rest on demand.
 * It imports nothing but two files that import nothing themselves: start-up time is measured against bare `node -e 0`.
 *
 * @param args the words after the command name
 * @returns the exit code
 */
export async function main(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') {
    return printVersion();
  }
  // The bundles lie beside the file that this one becomes.
  const bundle = LEAN_COMMANDS.includes(args[0] ?? '') ? 'lean.cjs' : 'command.cjs';
  return runCompiled(args, env, `${import.meta.dirname}/${bundle}`);
}

async function printVersion(): Promise<number> {
  const { stdout, stderr } = process;
  // What cannot be written is told twice: to who wrote it, and to who listens.
  stdout.on('error', () => undefined);
  const failure = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => stdout.write(`${RALPH_VERSION}\n`, resolve));
  // A reader that went away is no error.
  if (failure == null || failure.code === 'EPIPE') return 0;
  stderr.on('error', () => undefined).write(toUnwrittenText(failure.code ?? failure.message));
  return 1;
}
