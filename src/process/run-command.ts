import { createOutputTail } from './output-tail.ts';
import type { ProcessResult, ProcessSpec } from './process-spec.ts';
import { startProcess } from './start-process.ts';

const defaultCaptureBytes = 64 << 10;

/** A {@link ProcessSpec} whose output is captured. */
export interface CommandSpec extends Omit<ProcessSpec, 'onStdoutBytes' | 'onStderrBytes'> {
  /** How much of each output is kept, counted from its end. Default 64 KB. */
  readonly captureBytes?: number;
  /** Makes a text of standard output. Default: UTF-8, invalid bytes become U+FFFD. */
  readonly decode?: (bytes: Buffer) => string;
  /** Aborting it stops the command as {@link ChildProcessHandle.stop} does. */
  readonly abort?: AbortSignal;
}

/** How a command ended and what it said. */
export interface CommandResult extends ProcessResult {
  /** The end of standard output, see `decode`; for exact bytes give a `stdoutPath`. */
  readonly stdout: string;
  readonly stderr: string;
  /** The end of both, in the order in which they arrived. */
  readonly output: string;
  /** True when the beginning is missing in `stdout`, `stderr`, `output`. */
  readonly isStdoutCut: boolean;
  readonly isStderrCut: boolean;
  readonly isOutputCut: boolean;
}

/** What a shell line needs beside itself. */
export type ShellLineOptions = Omit<CommandSpec, 'command' | 'args'>;

/**
 * Runs a command to its end, with bounded memory whatever it prints. Never rejects: read `status`, `exitCode` and `stopReason`.
 * Give a `marker` when what the command leaves behind must be found even outside its process group.
 */
export async function runCommand(spec: CommandSpec): Promise<CommandResult> {
  const captureBytes = spec.captureBytes ?? defaultCaptureBytes;
  const stdout = createOutputTail(captureBytes);
  const stderr = createOutputTail(captureBytes);
  const output = createOutputTail(captureBytes);
  const handle = startProcess({
    ...spec,
    onStdoutBytes(bytes) {
      stdout.push(bytes);
      output.push(bytes);
    },
    onStderrBytes(bytes) {
      stderr.push(bytes);
      output.push(bytes);
    },
  });
  const stop = (): void => void handle.stop(spec.stopGraceMs);
  spec.abort?.addEventListener('abort', stop, { once: true });
  if (spec.abort?.aborted) stop();
  const result = await handle.result;
  spec.abort?.removeEventListener('abort', stop);
  return {
    ...result,
    stdout: stdout.text(spec.decode),
    stderr: stderr.text(),
    output: output.text(),
    isStdoutCut: stdout.isCut(),
    isStderrCut: stderr.isCut(),
    isOutputCut: output.isCut(),
  };
}

/**
 * Runs one line of shell, `/bin/sh -c LINE`, the line being a single argument. Only for text that the person wrote into their own
 * configuration (a gate's command): never for anything that an agent, a hook's answer or a file's name had a part in.
 */
export function runShellLine(line: string, options: ShellLineOptions): Promise<CommandResult> {
  return runCommand({ ...options, ...toShellLine(line) });
}

/** The program of such a line, for who puts something around it. */
export function toShellLine(line: string): { readonly command: string; readonly args: readonly string[] } {
  return { command: '/bin/sh', args: ['-c', '--', line] };
}
