import { writev } from 'node:fs';

/** Writes buffers to a file descriptor in order, off the main thread. */
export interface WriteQueue {
  push(bytes: Buffer): void;
  /** Bytes that have not been written yet. */
  waitingBytes(): number;
  whenIdle(): Promise<void>;
}

/**
 * @param onProgress called after each successful write.
 * @param onError called once; what is pushed afterwards is dropped.
 */
export function createWriteQueue(fd: number, onProgress: () => void, onError: (error: Error) => void): WriteQueue {
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
