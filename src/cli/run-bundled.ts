import type { CliContext } from './cli-context.ts';
import { runCommandLine } from './command-line.ts';
import { describeError } from './describe-error.ts';
import { plainStyle } from './style.ts';

/**
 * Runs a command line in the context that is made for it. Never rejects.
 *
 * @param create makes the context; may throw a RalphError
 * @returns the exit code
 */
export async function runBundled(args: readonly string[], create: () => CliContext): Promise<number> {
  try {
    return await runCommandLine(args, create());
  } catch (error) {
    // The command line never throws: this is the context, which has no terminal yet.
    const { text, exitCode } = describeError(error, { style: plainStyle, debug: false });
    process.stderr.write(text);
    return exitCode;
  }
}
