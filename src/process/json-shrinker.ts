const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
/** What is kept of each end of a long text string. */
const keptBytes = 256 << 10;
const gap = Buffer.from('\\n[the middle was left out]\\n');

/** Makes a JSON line of any length a short one with the same fields: of long text strings their beginning and end are kept. */
export interface JsonShrinker {
  add(bytes: Buffer, start: number, end: number): void;
  /** What is kept so far, at most `maxBytes`; no JSON where even that was not enough. */
  take(): Buffer;
}

/** Memory: `maxBytes` and 512 KB. Escapes and characters are never torn. */
export function createJsonShrinker(maxBytes: number): JsonShrinker {
  const kept = Buffer.allocUnsafe(maxBytes);
  const ring = Buffer.allocUnsafe(keptBytes);
  /** Which bytes of the ring begin a character or an escape. */
  const begins = Buffer.alloc(keptBytes);
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
    const isLong = ringTotal > keptBytes;
    if (isLong) for (const byte of gap) keep(byte);
    let place = isLong ? ringTotal - keptBytes : 0;
    while (isLong && place < ringTotal && begins[place % keptBytes] === 0) place += 1;
    for (; place < ringTotal; place += 1) keep(ring[place % keptBytes] as number);
    keep(quote);
    isInString = false;
  }

  function takeInString(byte: number): void {
    const isBetween = escapeLeft === 0;
    if (isBetween && byte === quote) return closeString();
    if (escapeLeft === -1) escapeLeft = byte === letterU ? 4 : 0;
    else if (escapeLeft > 0) escapeLeft -= 1;
    else if (byte === backslash) escapeLeft = -1;
    const isBegin = isBetween && (byte & 0xc0) !== 0x80;
    isHeadFull ||= stringBytes >= keptBytes && isBegin;
    stringBytes += 1;
    if (!isHeadFull) return keep(byte);
    ring[ringTotal % keptBytes] = byte;
    begins[ringTotal % keptBytes] = isBegin ? 1 : 0;
    ringTotal += 1;
  }

  return {
    add(bytes, start, end) {
      for (let index = start; index < end; index += 1) {
        const byte = bytes[index] as number;
        if (isInString) takeInString(byte);
        else {
          keep(byte);
          if (byte !== quote) continue;
          isInString = true;
          isHeadFull = false;
          [escapeLeft, stringBytes, ringTotal] = [0, 0, 0];
        }
      }
    },
    take: () => kept.subarray(0, Math.min(length, maxBytes)),
  };
}
