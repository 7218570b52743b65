const LINE_FEED = 10;
const CHUNK_BYTES = 256 * 1024;

export interface ScanSettings {
  /** Of a `FileSystem`: fills `into` from byte `at` on and returns how many bytes came. */
  readonly fs: { readonly read: (handle: number, into: Uint8Array, at: number) => number };
  readonly handle: number;
  /** The byte to begin at. */
  readonly from: number;
  /** The byte to end before. Default: the end of the file. */
  readonly to?: number;
  /** Longer lines are told, but not held in memory. */
  readonly maxLineBytes: number;
  /** About so many bytes are read at a time. */
  readonly chunkBytes?: number;
}

/**
 * One complete line, without its line feed. `bytes` are valid only during the call and `null` where the line is longer than the maximum.
 * Returns false to stop before this line.
 */
export type VisitLine = (bytes: Buffer | null, offset: number, lengthBytes: number) => boolean;

export interface ScanEnd {
  /** The first byte that was not visited: of an incomplete last line, or of the line before which the visitor stopped. */
  readonly nextOffset: number;
  /** Bytes of an incomplete last line; 0 when stopped. */
  readonly restBytes: number;
}

/** Gives every complete line to `visit`, at constant memory. Throws the system error. */
export function scanLines(settings: ScanSettings, visit: VisitLine): ScanEnd {
  const chunk = Buffer.allocUnsafe(settings.chunkBytes ?? CHUNK_BYTES);
  const { from, maxLineBytes } = settings;
  let lineStart = from;
  let position = from;
  // Copies of what earlier chunks held of this line; empty once it is too long.
  let pieces: Buffer[] = [];
  for (;;) {
    const view = readChunk(settings, chunk, position);
    if (view.length === 0) return { nextOffset: lineStart, restBytes: position - lineStart };
    let begin = 0;
    for (let end = view.indexOf(LINE_FEED); end !== -1; end = view.indexOf(LINE_FEED, begin)) {
      const lengthBytes = position + end - lineStart;
      const line = lengthBytes > maxLineBytes ? null : joinLine(pieces, view.subarray(begin, end));
      if (!visit(line, lineStart, lengthBytes)) return { nextOffset: lineStart, restBytes: 0 };
      pieces = [];
      begin = end + 1;
      lineStart = position + begin;
    }
    position += view.length;
    if (position - lineStart > maxLineBytes) pieces = [];
    else if (begin < view.length) pieces.push(Buffer.from(view.subarray(begin)));
  }
}

function readChunk(settings: ScanSettings, chunk: Buffer, position: number): Buffer {
  const wanted = Math.min(chunk.length, (settings.to ?? Number.POSITIVE_INFINITY) - position);
  if (wanted <= 0) return chunk.subarray(0, 0);
  return chunk.subarray(0, settings.fs.read(settings.handle, chunk.subarray(0, wanted), position));
}

function joinLine(pieces: readonly Buffer[], last: Buffer): Buffer {
  return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
}
