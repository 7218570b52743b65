/** The longest line that is read whole: a payload of the largest size that is taken, escaped at its worst, and room around it. */
export const MAX_LINE_BYTES = 8_000_000;

/** How much of the beginning and the end of a longer line is kept, to find the id in. */
const EDGE_BYTES = 400;
const LINE_FEED = 10;

export type MessageLine =
  | { readonly kind: 'line'; readonly text: string }
  /** It was not kept; its id is, where it stands at one of the ends, as clients write it. */
  | { readonly kind: 'too-long'; readonly id: string | number | null };

/** Puts lines together from the chunks of a stream. What is kept is bounded, whatever comes. */
export interface MessageLines {
  /** The lines that the chunk completes. */
  readonly take: (chunk: Buffer) => readonly MessageLine[];
  /** What was begun and not ended: clients end every line, so at the end of the input this is a torn one. */
  readonly hasRest: () => boolean;
}

/** Starts with nothing. */
export function createMessageLines(limitBytes = MAX_LINE_BYTES): MessageLines {
  let kept: Buffer[] = [];
  let bytes = 0;

  const keep = (part: Buffer): void => {
    bytes += part.length;
    kept.push(part);
    // Only the edges of a line that is too long are kept, and those once in a while, so that small chunks cost no copies.
    if (bytes > limitBytes && kept.length > 1) kept = toEdges(Buffer.concat(kept));
  };
  const complete = (): MessageLine => {
    const whole = Buffer.concat(kept);
    const isTooLong = bytes > limitBytes;
    [kept, bytes] = [[], 0];
    return isTooLong ? { kind: 'too-long', id: findId(whole) } : { kind: 'line', text: whole.toString('utf8') };
  };
  return {
    take: (chunk) => {
      const lines: MessageLine[] = [];
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        keep(chunk.subarray(from, at));
        lines.push(complete());
        from = at + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
      return lines;
    },
    hasRest: () => bytes > 0,
  };
}

function toEdges(whole: Buffer): Buffer[] {
  return whole.length <= 2 * EDGE_BYTES ? [whole] : [Buffer.concat([whole.subarray(0, EDGE_BYTES), whole.subarray(-EDGE_BYTES)])];
}

/** `{"jsonrpc":"2.0","id":7,…` or `…,"id":7}`: the two ways in which libraries write a request. */
function findId(whole: Buffer): string | number | null {
  const head = whole.toString('utf8', 0, EDGE_BYTES);
  const tail = whole.toString('utf8', Math.max(0, whole.length - EDGE_BYTES));
  const found =
    /"id":(\d{1,15}|"[^"\\]{1,100}")\}\s*$/.exec(tail) ?? /^\{(?:"jsonrpc":"2\.0",)?"id":(\d{1,15}|"[^"\\]{1,100}"),/.exec(head);
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as string | number);
}
