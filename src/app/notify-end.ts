import type { Settings } from '../config/index.ts';
import { runShellLine } from '../process/index.ts';
import type { RunEnd } from './run-api.ts';

const TIMEOUT_MS = 30_000;

/** Of what end the person's `notify:` command is told. */
export interface Notification {
  readonly runId: string;
  readonly cwd: string;
  readonly settings: Pick<Settings, 'notify'>;
  readonly end: RunEnd;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the command. */
  readonly abort?: AbortSignal;
}

/**
 * Runs the `notify:` command, the user's own shell line; the facts are in its environment (`RALPH_END_REASON`, `RALPH_END_DETAIL`, `RALPH_EXIT_CODE`, `RALPH_RUN`), never
 * in its text.
 *
 * @returns what went wrong, in words, or `null`
 */
export async function notifyEnd({ runId, cwd, settings, end, env, abort }: Notification): Promise<string | null> {
  if (settings.notify === null) return null;
  const facts = { RALPH_RUN: runId, RALPH_END_REASON: end.reason, RALPH_END_DETAIL: end.detail, RALPH_EXIT_CODE: String(end.exitCode) };
  const result = await runShellLine(settings.notify, {
    cwd,
    env: { ...env, ...facts },
    timeoutMs: TIMEOUT_MS,
    stopGraceMs: 1000,
    ...(abort && { abort }),
  });
  if (result.status === 'exited' && result.exitCode === 0) return null;
  return `The notify command failed (${result.status === 'exited' ? `exit ${result.exitCode}` : (result.stopReason ?? result.status)}).`;
}
