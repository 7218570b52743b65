import { closeSync, fstatSync, openSync } from 'node:fs';
import type { ProcessFault } from './process-spec.ts';
import { toFault } from './to-fault.ts';
import { createWriteQueue } from './write-queue.ts';

/** More than this waiting for the disk, and the source is asked to wait as well. */
const highWaterBytes = 1 << 20;
/** Less than this, and it may go on. */
const lowWaterBytes = 1 << 18;

export interface LogWriterSettings {
  readonly path: string;
  /** Largest size of the file, with what it already holds. Default: no limit. */
  readonly maxBytes?: number | undefined;
  /** The source that was told to wait may go on. */
  readonly onDrain: () => void;
  /** Called once; everything after it is dropped. */
  readonly onError: (fault: ProcessFault) => void;
}

/** Appends bytes to a file. */
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
    settings.onError(toFault(error));
    releaseSource();
  });

  function releaseSource(): void {
    if (!isSourceHeld || queue.waitingBytes() > lowWaterBytes) return;
    isSourceHeld = false;
    settings.onDrain();
  }

  return {
    write(bytes) {
      const kept = bytes.length <= roomBytes ? bytes : bytes.subarray(0, roomBytes);
      roomBytes -= kept.length;
      cutBytes += bytes.length - kept.length;
      queue.push(kept);
      isSourceHeld ||= queue.waitingBytes() > highWaterBytes;
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
