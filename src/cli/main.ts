import { runLean } from './run-lean.ts';

/** Those of `load-lean-command.ts`. */
const LEAN_COMMANDS = ['validate', 'explain'];

/**
 * The eager part of the command: it answers what needs nothing else and loads the rest on demand.
 * Keep every import here dynamic but that of `run-lean.ts`, which imports nothing itself: start-up time is measured against bare `node -e 0`.
 *
 * @param args the words after the command name
 * @param env the environment; where the caller gives none, it is read (which loads more than most commands need)
 * @returns the exit code
 */
export async function main(args: readonly string[], env?: Readonly<Record<string, string | undefined>>): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') {
    process.stdout.write(`${RALPH_VERSION}\n`);
    return 0;
  }
  // The bundle lies beside the file that this one becomes; where nothing is built there is none.
  if (env !== undefined && LEAN_COMMANDS.includes(args[0] ?? '')) {
    const exitCode = await runLean(args, env, new URL('./lean.cjs', import.meta.url));
    if (exitCode !== null) return exitCode;
  }
  const [{ runCommandLine }, { createContext }, { loadCommand }] = await Promise.all([
    import('./command-line.ts'),
    import('./create-context.ts'),
    import('./load-command.ts'),
  ]);
  const given = env ?? (await import('../config/index.ts')).readEnvironment();
  try {
    return await runCommandLine(args, createContext(given, { loadApp: () => import('../app/index.ts'), loadCommand }));
  } catch (error) {
    // The command line never throws: this is the context, which has no terminal yet.
    const [{ describeError }, { plainStyle }] = await Promise.all([import('./describe-error.ts'), import('./style.ts')]);
    const { text, exitCode } = describeError(error, { style: plainStyle, debug: false });
    process.stderr.write(text);
    return exitCode;
  }
}
