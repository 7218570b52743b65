import { randomUUID } from 'node:crypto';
import { toDurationText } from '../../../core/text/duration.ts';
import { toErrorMessage } from '../../../core/values/errors.ts';
import type { ProcessInput } from '../../../process/contract.ts';
import { type CommandResult, type CommandSpec, runToEnd } from '../../../process/start-process.ts';
import type { ToolContext } from '../../tool/tool.ts';

export interface ProgramOrder {
  /** Absolute path, or a name that is looked up in `env.PATH`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Default: end of file at once. */
  readonly input?: ProcessInput;
  readonly timeoutMs: number;
  /** It checks the project: what it writes in the workspace is thrown away where the hat has a view of it. */
  readonly isCheck?: boolean;
  /** How much of each output is kept, counted from its end. Default 4 MB. */
  readonly captureBytes?: number;
}

const STOP_GRACE_MS = 2000;
/** How long a process that was left behind may go on writing: whatever was to be said has been said. */
const DRAIN_MS = 500;
const DEFAULT_CAPTURE_BYTES = 4 << 20;

type ProgramContext = Pick<ToolContext, 'marker' | 'signal' | 'confine' | 'isolation' | 'view'>;

/**
 * Runs a program to its end, in a process group of its own; whatever it leaves behind is ended. Never rejects.
 *
 * Each call has a marker of its own that begins with the turn's: ending what one call left must not end what another one runs.
 */
export async function runProgram(order: ProgramOrder, context: ProgramContext): Promise<CommandResult> {
  return runToEnd({
    captureBytes: DEFAULT_CAPTURE_BYTES,
    ...order,
    ...(await place(order, context)),
    marker: `${context.marker}.tool.${randomUUID()}`,
    abort: context.signal,
    stopGraceMs: STOP_GRACE_MS,
    drainMs: DRAIN_MS,
  });
}

/** A sandbox that cannot be put up says so in the place of the program: without it the program must not start. */
async function place({ command, args, env, cwd, isCheck }: ProgramOrder, { confine, isolation, view }: ProgramContext): Promise<Placed> {
  const program = { path: command, args, env, cwd };
  try {
    const viewed = isCheck === true && view !== undefined ? await view(program) : null;
    const { path, ...placed } =
      viewed ?? (confine === undefined ? { ...program, isolation } : { isolation: undefined, ...confine(program) });
    return { command: path, ...placed };
  } catch (error) {
    const problem = toErrorMessage(error);
    return { command: '/bin/sh', args: ['-c', 'echo "$0" >&2; exit 126', `the sandbox could not be put up: ${problem}`] };
  }
}

type Placed = Partial<Pick<CommandSpec, 'command' | 'args' | 'env' | 'cwd' | 'isolation'>>;

type ProgramEnd = Pick<CommandResult, 'status' | 'exitCode' | 'signal' | 'stopReason' | 'error' | 'leftovers'>;

/** What POSIX shells answer when they cannot run a command: sh(1), "Exit Status". */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

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
  if (end.exitCode === NOT_FOUND) return 'exit code 127: a command was not found';
  if (end.exitCode === NOT_EXECUTABLE) return 'exit code 126: a file was found but may not be executed';
  return `exit code ${end.exitCode}`;
}

/** True if the program ended by itself and says that all is well. */
export function hasSucceeded(end: Pick<CommandResult, 'status' | 'exitCode' | 'stopReason'>): boolean {
  return end.status === 'exited' && end.exitCode === 0 && end.stopReason === undefined;
}
