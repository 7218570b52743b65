import { createJsonShrinker, type JsonShrinker } from './json-shrinker.ts';
import { lastWholeCharacter } from './utf8-boundary.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const openBrace = 0x7b;
/** A line this long is rare: the memory it took is given back after it. */
const keptCapacityBytes = 1 << 20;
const longestLookBytes = 1 << 16;

/** Receives one line without its line end; `cut` says that it was longer than allowed and this is its beginning. */
export type LineListener = (line: string, cut: boolean) => void;

/** Turns bytes that arrive in any pieces into lines of text. */
export interface LineSplitter {
  push(bytes: Buffer): void;
  isOpen(): boolean;
  /** The line that has no end yet; empty where there is none, or where it is too long to be looked at again and again. */
  open(): string;
  /** Delivers the last line when it had no line end. The splitter may be used again. */
  end(): void;
}

/**
 * Splits UTF-8 into lines. A carriage return at the end of a line belongs to the line end; bytes that are not UTF-8 become U+FFFD;
 * a line of more than `maxLineBytes` is delivered once, cut there (never inside a character); of a JSON object the middle of its long strings is left out instead, so
 * that it can be read to its end. How the bytes are cut into pieces makes
 * no difference. Memory: at most about twice `maxLineBytes`, whatever arrives.
 */
export function createLineSplitter(maxLineBytes: number, onLine: LineListener): LineSplitter {
  const carry = createCarry(maxLineBytes + 1);

  function deliver(bytes: Buffer, start: number, end: number, totalBytes: number): void {
    const textEnd = end > start && totalBytes === end - start && bytes[end - 1] === carriageReturn ? end - 1 : end;
    if (textEnd - start <= maxLineBytes) onLine(bytes.toString('utf8', start, textEnd), totalBytes > maxLineBytes + 1);
    else onLine(bytes.toString('utf8', start, lastWholeCharacter(bytes, start, start + maxLineBytes)), true);
  }

  function deliverCarry(): void {
    const { bytes, length, totalBytes } = carry.take();
    deliver(bytes, 0, length, totalBytes);
  }

  return {
    push(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
        if (carry.isEmpty() && end - start <= maxLineBytes + 1) deliver(bytes, start, end, end - start);
        else {
          carry.add(bytes, start, end);
          deliverCarry();
        }
        start = end + 1;
      }
      if (start < bytes.length) carry.add(bytes, start, bytes.length);
    },
    isOpen: () => !carry.isEmpty(),
    open() {
      const { bytes, length, totalBytes } = carry.look();
      return totalBytes > longestLookBytes ? '' : bytes.toString('utf8', 0, lastWholeCharacter(bytes, 0, length));
    },
    end() {
      if (!carry.isEmpty()) deliverCarry();
    },
  };
}

interface Carry {
  isEmpty(): boolean;
  add(bytes: Buffer, start: number, end: number): void;
  /** What was kept, how much of it counts, and how long the line was; empties the carry. Valid until the next `add`. */
  take(): Kept;
  /** The same, and keeps it. */
  look(): Kept;
}

interface Kept {
  readonly bytes: Buffer;
  readonly length: number;
  readonly totalBytes: number;
}

/** Holds the beginning of a line, at most `maxBytes` of it, in one growing buffer: a child that writes byte by byte costs no more. */
function createCarry(maxBytes: number): Carry {
  let kept: Buffer = Buffer.alloc(0);
  let length = 0;
  let totalBytes = 0;
  let shrinker: JsonShrinker | undefined;

  function makeRoom(needed: number): void {
    if (needed <= kept.length) return;
    const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, kept.length * 2, 1024)));
    kept.copy(grown, 0, 0, length);
    kept = grown;
  }

  return {
    isEmpty: () => totalBytes === 0,
    add(bytes, start, end) {
      totalBytes += end - start;
      const taken = Math.min(end - start, maxBytes - length);
      makeRoom(length + taken);
      bytes.copy(kept, length, start, start + taken);
      length += taken;
      if (shrinker !== undefined) shrinker.add(bytes, start, end);
      else if (totalBytes > maxBytes && kept[0] === openBrace) {
        shrinker = createJsonShrinker(maxBytes);
        shrinker.add(kept, 0, length);
        shrinker.add(bytes, start + taken, end);
      }
    },
    look: () => ({ bytes: kept, length, totalBytes }),
    take() {
      const whole = shrinker?.take();
      const taken = { bytes: whole ?? kept, length: whole?.length ?? length, totalBytes };
      shrinker = undefined;
      length = 0;
      totalBytes = 0;
      if (kept.length > keptCapacityBytes) kept = Buffer.alloc(0);
      return taken;
    },
  };
}
