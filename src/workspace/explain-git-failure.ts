import type { CommandResult } from '../process/index.ts';

const longestMessage = 300;

type Failure = Pick<CommandResult, 'status' | 'exitCode' | 'stopReason' | 'isStdoutCut' | 'stderrTail' | 'error'>;

/**
 * Why a git command failed, in one sentence for a person.
 *
 * @param name the subcommand, such as `status`.
 * @param cwd where it ran.
 */
export function explainGitFailure(name: string, result: Failure, cwd: string): string {
  if (result.status === 'spawn-error') {
    return result.error?.code === 'ENOENT' ? 'git was not found on the PATH' : `git could not be started (${result.error?.code})`;
  }
  if (result.stopReason === 'timeout') return `git ${name} took too long and was ended`;
  if (result.exitCode === 0 && result.isStdoutCut) return `git ${name} has too much to say: too many files differ`;
  if (result.stderrTail.includes('dubious ownership'))
    return `git refuses this repository, which belongs to another user: ${toSafeAdvice(cwd)}`;
  return toComplaint(result.stderrTail) ?? `git ${name} failed (exit code ${result.exitCode})`;
}

function toSafeAdvice(cwd: string): string {
  return `allow it with \`git config --global --add safe.directory ${cwd}\``;
}

/** Git's own first complaint: later ones mostly follow from it. */
function toComplaint(stderr: string): string | undefined {
  const match = /^(?:fatal|error): (.+)$/m.exec(stderr);
  return match?.[1]?.slice(0, longestMessage);
}
