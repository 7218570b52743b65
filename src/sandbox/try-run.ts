import { runCommand } from '../process/index.ts';

const TRIAL_MS = 10_000;

/** Runs a program once for a trial: whether it ended well, and its first line. Never rejects. */
export async function tryRun(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const result = await runCommand({ command, args, cwd: '/', env, timeoutMs: TRIAL_MS });
  const said = result.exitCode === 0 ? result.stdout : result.stderrTail;
  const line = said.trim().split('\n')[0] ?? '';
  return { ok: result.exitCode === 0, text: line.slice(0, 200) };
}
