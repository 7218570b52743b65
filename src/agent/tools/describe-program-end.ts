import { toDurationText } from '../../core/index.ts';
import type { CommandResult } from '../../process/index.ts';

type ProgramEnd = Pick<CommandResult, 'status' | 'exitCode' | 'signal' | 'stopReason' | 'error' | 'leftovers'>;

/** What POSIX shells answer when they cannot run a command: sh(1), "Exit Status". */
const notExecutable = 126;
const notFound = 127;

/** How a program ended, in a few words for a model: the exit code, and what the code does not say. */
export function describeProgramEnd(end: ProgramEnd, timeoutMs: number): string {
  const left = end.leftovers === 0 ? '' : `; ${end.leftovers} ${end.leftovers === 1 ? 'process' : 'processes'} it left running ended`;
  return `${describeEnd(end, timeoutMs)}${left}`;
}

function describeEnd(end: ProgramEnd, timeoutMs: number): string {
  if (end.status === 'spawn-error') return `could not be started: ${end.error?.message ?? 'no reason given'}`;
  if (end.stopReason === 'timeout') return `ended after ${toDurationText(timeoutMs)}, the longest it may take`;
  if (end.stopReason !== undefined) return 'ended because the turn was stopped';
  if (end.status === 'signaled') return `ended by ${end.signal}`;
  if (end.exitCode === notFound) return 'exit code 127: a command was not found';
  if (end.exitCode === notExecutable) return 'exit code 126: a file was found but may not be executed';
  return `exit code ${end.exitCode}`;
}

/** True if the program ended by itself and says that all is well. */
export function hasSucceeded(end: Pick<CommandResult, 'status' | 'exitCode' | 'stopReason'>): boolean {
  return end.status === 'exited' && end.exitCode === 0 && end.stopReason === undefined;
}
