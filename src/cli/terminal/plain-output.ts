import { tryOr } from '../../core/values/result.ts';
import type { OutputStream } from './terminal.ts';

type EngineStream = OutputStream & { readonly write: (data: string | Uint8Array) => unknown };

/** Files and pipes of both kinds; a terminal, and what else there may be, is the engine's own business. */
interface OutputKind {
  isFile(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

/**
 * Standard output or error for a command that ends after a few lines. Where it leads to a file or a pipe it is written as what it is: the streams
 * of the engine are some thirty modules, which take longer to load than such a command takes to do its work.
 *
 * @param handle an open one, 1 or 2 but in tests
 * @param openStream the engine's own stream, for everything else and for a pipe that is full and does not wait
 */
export function openPlainOutput(handle: number, openStream: () => EngineStream): OutputStream {
  const { fstatSync, writeSync } = process.getBuiltinModule('node:fs');
  if (!isPlain(() => fstatSync(handle))) return openStream();
  const listeners: ((error: NodeJS.ErrnoException) => void)[] = [];
  let stream: OutputStream | null = null;
  let isGone = false;
  const writeBytes = (bytes: Uint8Array): void => {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(handle, bytes, written);
    } catch (error) {
      const fault = error as NodeJS.ErrnoException;
      if (fault.code === 'EAGAIN') stream = passOn(openStream(), bytes.subarray(written), listeners);
      else {
        isGone = true;
        for (const listener of listeners) listener(fault);
      }
    }
  };
  return {
    get destroyed() {
      return stream?.destroyed ?? isGone;
    },
    write: (text) => (stream === null ? writeBytes(Buffer.from(text)) : stream.write(text)),
    on: (event, listener) => (stream === null ? listeners.push(listener) : stream.on(event, listener)),
  };
}

function isPlain(look: () => OutputKind): boolean {
  return tryOr(() => {
    const kind = look();
    return kind.isFile() || kind.isFIFO() || kind.isSocket();
  }, false);
}

function passOn(stream: EngineStream, rest: Uint8Array, listeners: readonly ((error: NodeJS.ErrnoException) => void)[]): OutputStream {
  for (const listener of listeners) stream.on('error', listener);
  stream.write(rest);
  return stream;
}
