import { closeSync, fstatSync, openSync, writev } from 'node:fs';

/** More than this waiting for the disk, and the source is asked to wait as well. */
const HIGH_WATER_BYTES = 1 << 20;
/** Less than this, and it may go on. */
const LOW_WATER_BYTES = 1 << 18;

export interface LogWriterSettings {
  readonly path: string;
  /** Largest size of the file, with what it already holds. Default: no limit. */
  readonly maxBytes?: number | undefined;
  /** The source that was told to wait may go on. */
  readonly onDrain: () => void;
  /** Called once; everything after it is dropped. */
  readonly onError: (error: Error) => void;
}

export interface LogWriter {
  /** False when the source should wait for `onDrain`. */
  write(bytes: Buffer): boolean;
  /** Waits for the disk, notes what was cut, closes the file. Never rejects. */
  close(): Promise<void>;
}

/**
 * Opens a log for appending.
 *
 * @throws the system's error (`ENOENT`, `EACCES`, `ENOSPC`) when it cannot be opened.
 */
export function openLogWriter(settings: LogWriterSettings): LogWriter {
  const fd = openSync(settings.path, 'a');
  let roomBytes = settings.maxBytes === undefined ? Number.POSITIVE_INFINITY : Math.max(0, settings.maxBytes - fstatSync(fd).size);
  let cutBytes = 0;
  let isSourceHeld = false;
  const queue = createWriteQueue(fd, releaseSource, (error) => {
    settings.onError(error);
    releaseSource();
  });

  function releaseSource(): void {
    if (!isSourceHeld || queue.waitingBytes() > LOW_WATER_BYTES) return;
    isSourceHeld = false;
    settings.onDrain();
  }

  return {
    write(bytes) {
      const kept = bytes.length <= roomBytes ? bytes : bytes.subarray(0, roomBytes);
      roomBytes -= kept.length;
      cutBytes += bytes.length - kept.length;
      queue.push(kept);
      isSourceHeld ||= queue.waitingBytes() > HIGH_WATER_BYTES;
      return !isSourceHeld;
    },
    async close() {
      if (cutBytes > 0) queue.push(Buffer.from(`\n[log cut here: ${cutBytes} more bytes were not kept]\n`));
      await queue.whenIdle();
      try {
        // Nothing waits to be written: the round by the thread pool would take longer.
        closeSync(fd);
      } catch {
        // What could not be written was told already.
      }
    },
  };
}

/** Writes buffers to a file descriptor in order, off the main thread. */
interface WriteQueue {
  push(bytes: Buffer): void;
  /** Bytes that have not been written yet. */
  waitingBytes(): number;
  whenIdle(): Promise<void>;
}

/**
 * @param onProgress called after each successful write.
 * @param onError called once; what is pushed afterwards is dropped.
 */
function createWriteQueue(fd: number, onProgress: () => void, onError: (error: Error) => void): WriteQueue {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let isWriting = false;
  let hasFailed = false;
  let reportIdle: (() => void) | undefined;

  function write(batch: readonly Buffer[]): void {
    isWriting = true;
    writev(fd, batch, (error, written) => {
      const rest = error ? [] : dropBytes(batch, written);
      if (error) fail(error);
      else waitingBytes -= written;
      if (rest.length > 0) write(rest);
      else if (waiting.length > 0) writeWaiting();
      else isWriting = false;
      if (!error) onProgress();
      if (!isWriting) reportIdle?.();
    });
  }

  function writeWaiting(): void {
    const batch = waiting;
    waiting = [];
    write(batch);
  }

  function fail(error: Error): void {
    hasFailed = true;
    waiting = [];
    waitingBytes = 0;
    onError(error);
  }

  return {
    push(bytes) {
      if (bytes.length === 0 || hasFailed) return;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (!isWriting) writeWaiting();
    },
    waitingBytes: () => waitingBytes,
    async whenIdle() {
      if (isWriting) await new Promise<void>((resolve) => (reportIdle = resolve));
    },
  };
}

/** The buffers without their first `count` bytes: the system may write less than it was asked to. */
function dropBytes(batch: readonly Buffer[], count: number): Buffer[] {
  let left = count;
  const rest: Buffer[] = [];
  for (const bytes of batch) {
    if (left < bytes.length) rest.push(left > 0 ? bytes.subarray(left) : bytes);
    left = Math.max(0, left - bytes.length);
  }
  return rest;
}
