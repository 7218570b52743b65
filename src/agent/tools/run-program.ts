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
export function runProgram(order: ProgramOrder, context: Pick<ToolContext, 'marker' | 'signal'>): Promise<CommandResult> {
  started += 1;
  return runCommand({
    captureBytes: defaultCaptureBytes,
    ...order,
    marker: `${context.marker}.tool${started}`,
    abort: context.signal,
    stopGraceMs,
    drainMs,
  });
}
