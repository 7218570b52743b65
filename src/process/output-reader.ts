import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Backpressure } from '../ports/index.ts';
import { createLineSplitter, type LineListener, type LineSplitter } from './line-splitter.ts';
import { type LogWriter, openLogWriter } from './log-writer.ts';
import type { ProcessFault } from './process-spec.ts';

/** What is wanted of one output, and who is told. */
export interface OutputReaderSettings {
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
  readonly onLogError: (fault: ProcessFault) => void;
  /** Wraps each call of the callbacks above, so that an error thrown there does not tear down the reading. */
  readonly guard: (call: () => void) => void;
}

/** Reads one output of a child: log, lines, text, bytes. The child is slowed down when the log or whoever listens cannot keep up. */
export interface OutputReader {
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
export function createOutputReader(settings: OutputReaderSettings): OutputReader {
  const { onText, onBytes, guard } = settings;
  const splitter = settings.onLine && createLineSplitter(settings.maxLineBytes, guardLines(settings.onLine, guard));
  const parts = settings.onPart && splitter && watchOpenLine(splitter, (text) => guard(() => settings.onPart?.(text)));
  const decoder = onText && new StringDecoder('utf8');
  const log: LogWriter | undefined =
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

/** For whom a child waits. */
function createHolds(stream: () => Readable | undefined, onActivity: () => void) {
  const by = new Set<'log' | 'listener'>();
  return {
    isAny: () => by.size > 0,
    hold: (who: 'log' | 'listener'): void => {
      by.add(who);
      stream()?.pause();
    },
    release: (who: 'log' | 'listener'): void => {
      by.delete(who);
      if (by.size > 0) return;
      onActivity();
      stream()?.resume();
    },
  };
}

function guardLines(onLine: LineListener, guard: (call: () => void) => void): LineListener {
  return (line, cut) => guard(() => onLine(line, cut));
}

/** So long a line may stand without an end before its beginning is handed on. */
const partAfterMs = 200;

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
      timer ??= splitter.isOpen() ? setTimeout(look, partAfterMs) : undefined;
    },
    stop: () => clearTimeout(timer),
  };
}
