import { createBoundedBuffer } from './bounded-buffer.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** Bytes of the longest UTF-8 character. */
const MAX_CHARACTER_BYTES = 4;
/** A longer line is rare: the memory it took is given back after it. */
const KEPT_CAPACITY_BYTES = 1 << 20;
const LONGEST_LOOK_BYTES = 1 << 16;
/** What is kept of each end of a long text string. */
const KEPT_END_BYTES = 256 << 10;
const GAP = Buffer.from('\\n[the middle was left out]\\n');

/**
 * Receives one line without its line end; `cut` says that it was longer than allowed and this is its beginning, `isOpen` that the output ended before the
 * line did.
 */
export type LineListener = (line: string, cut: boolean, isOpen: boolean) => void;

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
 * Splits UTF-8 into lines. A carriage return at the end of a line belongs to the line end; bytes that are not UTF-8 become U+FFFD. A line of more than
 * `maxLineBytes` is delivered once, cut there (never inside a character); of a JSON object the middle of its long strings is left out instead, so that it
 * can still be parsed. How the bytes are cut into pieces makes no difference. Memory: at most about twice `maxLineBytes`, whatever arrives.
 */
export function createLineSplitter(maxLineBytes: number, onLine: LineListener): LineSplitter {
  const carry = createCarry(maxLineBytes + 1);

  function deliver(bytes: Buffer, start: number, end: number, totalBytes: number, isOpen = false): void {
    const textEnd = end > start && totalBytes === end - start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    if (textEnd - start <= maxLineBytes) onLine(bytes.toString('utf8', start, textEnd), totalBytes > maxLineBytes + 1, isOpen);
    else onLine(bytes.toString('utf8', start, lastWholeCharacter(bytes, start, start + maxLineBytes)), true, isOpen);
  }

  function deliverCarry(isOpen = false): void {
    const { bytes, totalBytes } = carry.take();
    deliver(bytes, 0, bytes.length, totalBytes, isOpen);
  }

  return {
    push(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
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
      const { bytes, totalBytes } = carry.look();
      return totalBytes > LONGEST_LOOK_BYTES ? '' : bytes.toString('utf8', 0, lastWholeCharacter(bytes, 0, bytes.length));
    },
    end() {
      if (!carry.isEmpty()) deliverCarry(true);
    },
  };
}

interface Carry {
  isEmpty(): boolean;
  add(bytes: Buffer, start: number, end: number): void;
  /** What was kept, and how long the line was; empties the carry. Valid until the next `add`. */
  take(): KeptBytes;
  /** The same, and keeps it. */
  look(): KeptBytes;
}

interface KeptBytes {
  readonly bytes: Buffer;
  readonly totalBytes: number;
}

/** Holds the beginning of a line, at most `maxBytes` of it. */
function createCarry(maxBytes: number): Carry {
  const head = createBoundedBuffer(maxBytes);
  let totalBytes = 0;
  let shrinker: JsonShrinker | undefined;

  return {
    isEmpty: () => totalBytes === 0,
    add(bytes, start, end) {
      totalBytes += end - start;
      const taken = head.add(bytes, start, end);
      if (shrinker !== undefined) shrinker.add(bytes, start, end);
      else if (totalBytes > maxBytes && head.look()[0] === OPEN_BRACE) {
        const kept = head.look();
        shrinker = createJsonShrinker(maxBytes);
        shrinker.add(kept, 0, kept.length);
        shrinker.add(bytes, start + taken, end);
      }
    },
    look: () => ({ bytes: head.look(), totalBytes }),
    take() {
      const taken = { bytes: shrinker?.take() ?? head.look(), totalBytes };
      shrinker = undefined;
      totalBytes = 0;
      head.clear(KEPT_CAPACITY_BYTES);
      return taken;
    },
  };
}

/** Makes a JSON line of any length a short one with the same fields: of long text strings their beginning and end are kept. */
interface JsonShrinker {
  add(bytes: Buffer, start: number, end: number): void;
  /** What is kept so far, at most `maxBytes`; no JSON where even that was not enough. */
  take(): Buffer;
}

/** Memory: `maxBytes` and 512 KB. Escapes and characters are never torn. */
function createJsonShrinker(maxBytes: number): JsonShrinker {
  const kept = Buffer.allocUnsafe(maxBytes);
  const ring = Buffer.allocUnsafe(KEPT_END_BYTES);
  /** Which bytes of the ring begin a character or an escape. */
  const begins = Buffer.alloc(KEPT_END_BYTES);
  let length = 0;
  let ringTotal = 0;
  let stringBytes = 0;
  let isInString = false;
  let isHeadFull = false;
  /** -1 right after a backslash, else how many hex digits follow. */
  let escapeLeft = 0;

  function keep(byte: number): void {
    if (length < maxBytes) kept[length] = byte;
    length += 1;
  }

  function closeString(): void {
    const isLong = ringTotal > KEPT_END_BYTES;
    if (isLong) for (const byte of GAP) keep(byte);
    let place = isLong ? ringTotal - KEPT_END_BYTES : 0;
    while (isLong && place < ringTotal && begins[place % KEPT_END_BYTES] === 0) place += 1;
    for (; place < ringTotal; place += 1) keep(ring[place % KEPT_END_BYTES] as number);
    keep(QUOTE);
    isInString = false;
  }

  function takeInString(byte: number): void {
    const isBetween = escapeLeft === 0;
    if (isBetween && byte === QUOTE) return closeString();
    if (escapeLeft === -1) escapeLeft = byte === LETTER_U ? 4 : 0;
    else if (escapeLeft > 0) escapeLeft -= 1;
    else if (byte === BACKSLASH) escapeLeft = -1;
    const isBegin = isBetween && (byte & 0xc0) !== 0x80;
    isHeadFull ||= stringBytes >= KEPT_END_BYTES && isBegin;
    stringBytes += 1;
    if (!isHeadFull) return keep(byte);
    ring[ringTotal % KEPT_END_BYTES] = byte;
    begins[ringTotal % KEPT_END_BYTES] = isBegin ? 1 : 0;
    ringTotal += 1;
  }

  return {
    add(bytes, start, end) {
      for (let index = start; index < end; index += 1) {
        const byte = bytes[index] as number;
        if (isInString) takeInString(byte);
        else {
          keep(byte);
          if (byte !== QUOTE) continue;
          isInString = true;
          isHeadFull = false;
          [escapeLeft, stringBytes, ringTotal] = [0, 0, 0];
        }
      }
    },
    take: () => kept.subarray(0, Math.min(length, maxBytes)),
  };
}

/** Where to cut `bytes[start..end)` at its end so that no character is torn: `end`, or up to 3 bytes before it. */
function lastWholeCharacter(bytes: Uint8Array, start: number, end: number): number {
  const earliest = Math.max(start, end - MAX_CHARACTER_BYTES + 1);
  for (let index = end - 1; index >= earliest; index -= 1) {
    const byte = bytes[index] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return index + characterBytes(byte) > end ? index : end;
  }
  return end;
}

/** Bytes of the character that this byte begins; 1 for ASCII and for what begins none. */
function characterBytes(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0) return lead < 0xf0 ? 3 : 1;
  return lead >= 0xc0 ? 2 : 1;
}
