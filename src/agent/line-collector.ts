/** A line, or the part of it that was asked for. */
export interface WindowLine {
  readonly text: string;
  /** UTF-16 units of the whole line. */
  readonly chars: number;
  /** How many units follow behind `text`. */
  readonly leftChars: number;
}

/** Takes one line in pieces and keeps a part of it. */
export interface LineCollector {
  push(piece: Buffer): void;
  end(): WindowLine;
}

/**
 * Keeps `maxChars` of a line from `column` on (one-based), in constant memory. The carriage return of a Windows line is left out, and in the first
 * line of a file a byte order mark.
 */
export function createLineCollector(column: number, maxChars: number, isFirstLine: boolean): LineCollector {
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
