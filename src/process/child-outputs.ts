import type { Readable } from 'node:stream';
import { createOutputReader, type OutputReader } from './output-reader.ts';
import { createOutputTail } from './output-tail.ts';
import type { ProcessFault, ProcessResult, ProcessSpec } from './process-spec.ts';
import { toFault } from './to-fault.ts';

const defaultMaxLineBytes = 8 << 20;
const stderrTailBytes = 8 << 10;

/** Who is told what happens while the outputs are read. */
export interface OutputListener {
  readonly onActivity: () => void;
  readonly onLogError: () => void;
}

/** Both outputs of a child. */
export interface ChildOutputs {
  /** Begins to read. */
  attach(stdout: Readable, stderr: Readable, listener: OutputListener): void;
  /** Settles when both have ended. */
  readonly ended: Promise<unknown>;
  /** True while the child is kept waiting, by a slow log or listener. */
  isHeld(): boolean;
  /** Stops reading, hands on what is left over, closes the logs. */
  finish(): Promise<void>;
  /** The part of the result that the outputs know. */
  report(): Pick<ProcessResult, 'stdoutBytes' | 'stderrBytes' | 'stderrTail' | 'logError' | 'callbackError'>;
}

/** Makes the outputs ready: logs are opened before the child is started. Never throws: see `logError` in the report. */
export function createChildOutputs(spec: ProcessSpec): ChildOutputs {
  const readers: OutputReader[] = [];
  const tail = createOutputTail(stderrTailBytes);
  let listener: OutputListener | undefined;
  let logError: ProcessFault | undefined;
  let callbackError: ProcessFault | undefined;

  const shared = {
    backpressure: spec.backpressure,
    maxLogBytes: spec.maxLogBytes,
    maxLineBytes: spec.maxLineBytes ?? defaultMaxLineBytes,
    onActivity: () => listener?.onActivity(),
    onLogError(fault: ProcessFault) {
      logError ??= fault;
      listener?.onLogError();
    },
    guard(call: () => void) {
      try {
        call();
      } catch (error) {
        callbackError ??= toFault(error);
      }
    },
  };
  function takeStderr(bytes: Buffer): void {
    tail.push(bytes);
    spec.onStderrBytes?.(bytes);
  }
  try {
    const { onStdoutBytes: onBytes, onStdoutChunk: onText, onStdoutPart: onPart } = spec;
    readers.push(createOutputReader({ ...shared, logPath: spec.stdoutPath, onLine: spec.onStdoutLine, onPart, onText, onBytes }));
    readers.push(createOutputReader({ ...shared, logPath: spec.stderrPath, onLine: spec.onStderrLine, onBytes: takeStderr }));
  } catch (error) {
    logError = toFault(error);
  }

  return {
    attach(stdout, stderr, hears) {
      listener = hears;
      readers[0]?.attach(stdout);
      readers[1]?.attach(stderr);
    },
    ended: Promise.all(readers.map((reader) => reader.ended)),
    isHeld: () => readers.some((reader) => reader.isHeld()),
    async finish() {
      await Promise.all(readers.map((reader) => reader.finish()));
    },
    report: () => ({
      stdoutBytes: readers[0]?.bytes() ?? 0,
      stderrBytes: readers[1]?.bytes() ?? 0,
      stderrTail: tail.text(),
      ...(logError && { logError }),
      ...(callbackError && { callbackError }),
    }),
  };
}
