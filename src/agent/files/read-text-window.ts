import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { MAX_WHOLE_BYTES } from './open-pinned.ts';

export interface WindowOrder {
  /** One-based number of the first line. */
  readonly offset: number;
  readonly limit: number;
  /** One-based number of the first character (UTF-16 unit) of every line. */
  readonly column: number;
  readonly maxLineChars: number;
  /** Of the lines together, with ten bytes more for each. */
  readonly maxBytes: number;
}

export interface TextWindow {
  readonly lines: readonly WindowLine[];
  /** `null` when the file was not read to its end. */
  readonly totalLines: number | null;
  /** Of the whole file, hexadecimal; empty when it was not read to its end. */
  readonly sha256: string;
}

const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 10;
const EXTRA_BYTES = 10;

/**
 * Reads a part of a text file in constant memory, however large file and lines are. Files up to `MAX_WHOLE_BYTES` are read to their end, so that
 * lines are counted and the content is hashed; of larger ones what follows the window is left.
 *
 * @throws the system's errors.
 */
export async function readTextWindow(handle: FileHandle, order: WindowOrder, signal: AbortSignal): Promise<TextWindow> {
  const hash = createHash('sha256');
  const collector = createWindowCollector(order);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
    const bytes = chunk.subarray(0, bytesRead);
    if (bytesRead === 0) return { ...collector.end(), sha256: position <= MAX_WHOLE_BYTES ? hash.digest('hex') : '' };
    position += bytesRead;
    if (position <= MAX_WHOLE_BYTES) hash.update(bytes);
    collector.push(bytes);
    if (signal.aborted || (position > MAX_WHOLE_BYTES && collector.isFull()))
      return { lines: collector.lines(), totalLines: null, sha256: '' };
  }
}

interface WindowCollector {
  push(bytes: Buffer): void;
  isFull(): boolean;
  lines(): readonly WindowLine[];
  end(): Pick<TextWindow, 'lines' | 'totalLines'>;
}

function createWindowCollector(order: WindowOrder): WindowCollector {
  const lines: WindowLine[] = [];
  let number = 1;
  let leftBytes = order.maxBytes;
  let isFull = false;
  let isInLine = false;
  let line: LineCollector | null = null;

  function isWanted(): boolean {
    return !isFull && number >= order.offset;
  }

  function finishLine(): void {
    if (line !== null) addLine(line.end());
    line = null;
    isInLine = false;
    number += 1;
    if (number >= order.offset + order.limit) isFull = true;
  }

  function addLine(done: WindowLine): void {
    leftBytes -= Buffer.byteLength(done.text) + EXTRA_BYTES;
    if (leftBytes < 0 && lines.length > 0) isFull = true;
    else lines.push(done);
  }

  function pushPiece(piece: Buffer): void {
    if (piece.length === 0) return;
    isInLine = true;
    if (!isWanted()) return;
    line ??= createLineCollector(order.column, order.maxLineChars, number === 1);
    line.push(piece);
  }

  return {
    push(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
        pushPiece(bytes.subarray(start, end));
        if (isWanted()) line ??= createLineCollector(order.column, order.maxLineChars, number === 1);
        finishLine();
        start = end + 1;
      }
      pushPiece(bytes.subarray(start));
    },
    isFull: () => isFull,
    lines: () => lines,
    end() {
      if (isInLine) finishLine();
      return { lines, totalLines: number - 1 };
    },
  };
}

/** A line, or the part of it that was asked for. */
export interface WindowLine {
  readonly text: string;
  /** UTF-16 units of the whole line. */
  readonly chars: number;
  /** How many units follow behind `text`. */
  readonly leftChars: number;
}

/** Takes one line in pieces and keeps a part of it. */
interface LineCollector {
  push(piece: Buffer): void;
  end(): WindowLine;
}

/**
 * Keeps `maxChars` of a line from `column` on (one-based), in constant memory. The carriage return of a Windows line is left out, and in the first
 * line of a file a byte order mark.
 */
function createLineCollector(column: number, maxChars: number, isFirstLine: boolean): LineCollector {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: !isFirstLine });
  const first = column - 1;
  let seen = 0;
  let kept = '';
  let lastUnit = '';

  function take(text: string): void {
    if (text === '') return;
    const from = Math.max(0, first - seen);
    kept += text.slice(from, Math.max(from, first + maxChars - seen));
    seen += text.length;
    lastUnit = text.at(-1) ?? '';
  }

  return {
    push: (piece) => take(decoder.decode(piece, { stream: true })),
    end() {
      take(decoder.decode());
      const isReturned = lastUnit === '\r';
      const chars = isReturned ? seen - 1 : seen;
      const isComplete = first + kept.length >= seen;
      const text = toWholeCharacters(isReturned && isComplete ? kept.slice(0, -1) : kept);
      return { text, chars, leftChars: Math.max(0, chars - first - text.length) };
    },
  };
}

/** Without half a character at either end. */
function toWholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '');
}
