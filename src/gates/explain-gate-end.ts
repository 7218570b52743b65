import { toDurationText } from '../core/index.ts';
import type { CommandResult } from '../process/index.ts';

/** What POSIX shells answer when they cannot run a command: sh(1), "Exit Status". */
const notExecutable = 126;
const notFound = 127;

type GateEnd = Pick<CommandResult, 'status' | 'exitCode' | 'signal' | 'stopReason' | 'error' | 'logError'>;

/** What the output of a gate does not say about its end, in one line; empty when the exit code says all. */
export function explainGateEnd(end: GateEnd, timeoutMs: number): string {
  if (end.logError !== undefined) return `ended because its output could not be kept: ${end.logError.message}`;
  if (end.status === 'spawn-error') return `the gate could not be started: ${end.error?.message ?? 'no reason given'}`;
  if (end.stopReason === 'timeout') return `ended because it took longer than ${toDurationText(timeoutMs)}`;
  if (end.stopReason !== undefined) return 'ended because the run was stopped';
  if (end.status === 'signaled') return `ended by ${end.signal}`;
  if (end.exitCode === notFound) return 'exit code 127: a command was not found; check its spelling and the PATH';
  if (end.exitCode === notExecutable) return 'exit code 126: a file was found but may not be executed (chmod +x)';
  return '';
}
