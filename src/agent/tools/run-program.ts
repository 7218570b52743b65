import { type CommandResult, type ProcessInput, runCommand } from '../../process/index.ts';
import type { ToolContext } from '../tool-context.ts';

/** A program that a tool starts. */
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
  /** How much of each output is kept, counted from its end. Default 4 MB. */
  readonly captureBytes?: number;
}

const stopGraceMs = 2000;
/** How long a process that was left behind may go on writing: whatever was to be said has been said. */
const drainMs = 500;
const defaultCaptureBytes = 4 << 20;
let started = 0;

/**
 * Runs a program to its end, in a process group of its own; whatever it leaves behind is ended. Never rejects.
 *
 * Each call has a marker of its own that begins with the turn's: ending what one call left must not end what another one runs.
 */
export function runProgram(
  order: ProgramOrder,
  context: Pick<ToolContext, 'marker' | 'signal' | 'confine' | 'isolation'>,
): Promise<CommandResult> {
  started += 1;
  return runCommand({
    captureBytes: defaultCaptureBytes,
    ...order,
    ...confine(order, context.confine),
    isolation: context.confine === undefined ? context.isolation : undefined,
    marker: `${context.marker}.tool${started}`,
    abort: context.signal,
    stopGraceMs,
    drainMs,
  });
}

/** A sandbox that cannot be put up says so in the place of the program: without it the program must not start. */
function confine({ command, args, env, cwd }: ProgramOrder, put: ToolContext['confine']): Partial<ProgramOrder> {
  if (put === undefined) return {};
  try {
    const { path, args: words, env: inner } = put({ path: command, args, env, cwd });
    return { command: path, args: words, env: inner };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { command: '/bin/sh', args: ['-c', 'echo "$0" >&2; exit 126', `the sandbox could not be put up: ${problem}`] };
  }
}
