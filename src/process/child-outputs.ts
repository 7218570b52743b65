import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Backpressure } from '../ports/program.ts';
import { type ChildOutputs, type OutputListener, type ProcessFault, type ProcessSpec, toFault } from './contract.ts';
import { createLineSplitter, type LineListener, type LineSplitter } from './line-splitter.ts';
import { openLogWriter } from './log-writer.ts';
import { createOutputTail } from './output-tail.ts';

const DEFAULT_MAX_LINE_BYTES = 8 << 20;
const STDERR_TAIL_BYTES = 8 << 10;
/** A line may stand so long without an end before its beginning is handed on. */
const PART_AFTER_MS = 200;

/** Makes the outputs ready: logs are opened before the child is started. Never throws: see `logError` in the report. */
export function createChildOutputs(spec: ProcessSpec): ChildOutputs {
  const readers: OutputReader[] = [];
  const tail = createOutputTail(STDERR_TAIL_BYTES);
  let listener: OutputListener | undefined;
  let logError: ProcessFault | undefined;
  let callbackError: ProcessFault | undefined;

  const shared = {
    backpressure: spec.backpressure,
    maxLogBytes: spec.maxLogBytes,
    maxLineBytes: spec.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
    onActivity: () => listener?.onActivity(),
    onLogError(error: Error) {
      logError ??= toFault(error);
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

interface OutputReaderSettings {
  readonly logPath?: string | undefined;
  readonly maxLogBytes?: number | undefined;
  readonly maxLineBytes: number;
  readonly onLine?: LineListener | undefined;
  /** Beside `onLine`: a line that stands without an end. */
  readonly onPart?: ((text: string) => void) | undefined;
  readonly onText?: ((text: string) => void) | undefined;
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
  readonly backpressure?: Backpressure | undefined;
  /** Bytes came, or a held source was let go. */
  readonly onActivity: () => void;
  readonly onLogError: (error: Error) => void;
  /** Wraps each call of the callbacks above, so that an error thrown there does not tear down the reading. */
  readonly guard: (call: () => void) => void;
}

/** Reads one output of a child: log, lines, text, bytes. The child is slowed down when the log or a listener cannot keep up. */
interface OutputReader {
  /** Begins to read. */
  attach(stream: Readable): void;
  /** Settles at the end of the stream. */
  readonly ended: Promise<void>;
  bytes(): number;
  /** True while the child is kept waiting. */
  isHeld(): boolean;
  /** Stops reading, hands on what is left over, closes the log. */
  finish(): Promise<void>;
}

/**
 * Makes an output ready to be read; the log is opened at once.
 *
 * @throws the system's error when the log cannot be opened.
 */
function createOutputReader(settings: OutputReaderSettings): OutputReader {
  const { onText, onBytes, guard } = settings;
  const splitter = settings.onLine && createLineSplitter(settings.maxLineBytes, guardLines(settings.onLine, guard));
  const parts = settings.onPart && splitter && watchOpenLine(splitter, (text) => guard(() => settings.onPart?.(text)));
  const decoder = onText && new StringDecoder('utf8');
  const log =
    settings.logPath === undefined
      ? undefined
      : openLogWriter({
          path: settings.logPath,
          maxBytes: settings.maxLogBytes,
          onDrain: () => holds.release('log'),
          onError: settings.onLogError,
        });
  let stream: Readable | undefined;
  let totalBytes = 0;
  const holds = createHolds(() => stream, settings.onActivity);
  let markEnded: () => void = () => {};
  const ended = new Promise<void>((resolve) => (markEnded = resolve));

  function sendText(text: string): void {
    if (onText && text !== '') guard(() => onText(text));
  }

  function take(bytes: Buffer): void {
    totalBytes += bytes.length;
    settings.onActivity();
    if (log?.write(bytes) === false) holds.hold('log');
    if (onBytes) guard(() => onBytes(bytes));
    if (decoder) sendText(decoder.write(bytes));
    splitter?.push(bytes);
    parts?.touch();
    const over = settings.backpressure?.() ?? null;
    if (over === null) return;
    holds.hold('listener');
    void over.then(() => holds.release('listener'));
  }

  return {
    ended,
    bytes: () => totalBytes,
    isHeld: holds.isAny,
    attach(source) {
      stream = source;
      // A broken pipe ends the output like an orderly end does.
      source.on('data', take).on('end', markEnded).on('close', markEnded).on('error', markEnded);
    },
    async finish() {
      stream?.off('data', take).destroy();
      if (decoder) sendText(decoder.end());
      parts?.stop();
      splitter?.end();
      await log?.close();
    },
  };
}

/** What a child waits for. */
function createHolds(stream: () => Readable | undefined, onActivity: () => void) {
  const causes = new Set<'log' | 'listener'>();
  return {
    isAny: () => causes.size > 0,
    hold: (cause: 'log' | 'listener'): void => {
      causes.add(cause);
      stream()?.pause();
    },
    release: (cause: 'log' | 'listener'): void => {
      causes.delete(cause);
      if (causes.size > 0) return;
      onActivity();
      stream()?.resume();
    },
  };
}

function guardLines(onLine: LineListener, guard: (call: () => void) => void): LineListener {
  return (line, cut, isOpen) => guard(() => onLine(line, cut, isOpen));
}

/** Hands on the beginning of a line that does not end, some time after it came; nothing while lines come whole. */
function watchOpenLine(splitter: LineSplitter, onPart: (text: string) => void): { touch(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let last = '';
  const look = (): void => {
    timer = undefined;
    const text = splitter.open();
    if (text !== '' && text !== last) onPart(text);
    last = text;
  };
  return {
    touch() {
      timer ??= splitter.isOpen() ? setTimeout(look, PART_AFTER_MS) : undefined;
    },
    stop: () => clearTimeout(timer),
  };
}
