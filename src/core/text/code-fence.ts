/** Tells code from words: which lines of a Markdown text stand in a fenced block. */
export interface FenceTracker {
  /** Takes the next line; true if it belongs to a fenced block, its first and last line included. */
  readonly take: (line: string) => boolean;
  /** Forgets an open block: another text begins. */
  readonly reset: () => void;
}

interface OpenFence {
  readonly mark: string;
  readonly column: number;
  readonly quoted: boolean;
}

/** Quote and list marks may stand before a fence; its own mark is three or more backticks or tildes. */
const OPENING = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t][ \t>]*)*)(`{3,}(?=[^`]*$)|~{3,})/;
const CLOSING = /^([ \t>]*)(`{3,}|~{3,})[ \t]*$/;
/** A closing mark that is indented further than this against its opening one is part of the code. */
const CLOSING_SLACK = 3;

/**
 * Follows CommonMark where agents do, and is lenient where they are not: a fence may be indented by any amount (lists in lists),
 * and one that stands in a quote ends with the quote.
 */
export function createFenceTracker(): FenceTracker {
  let open: OpenFence | null = null;

  const isClosedBy = (fence: OpenFence, line: string): boolean => {
    const mark = CLOSING.exec(line);
    if (mark === null) return false;
    const [, before = '', ticks = ''] = mark;
    return ticks[0] === fence.mark[0] && ticks.length >= fence.mark.length && toColumn(before) <= fence.column + CLOSING_SLACK;
  };

  return {
    take: (line) => {
      if (open?.quoted === true && !/^\s*>/.test(line)) open = null;
      if (open !== null) {
        if (isClosedBy(open, line)) open = null;
        return true;
      }
      const mark = OPENING.exec(line);
      if (mark === null) return false;
      const [, before = '', ticks = ''] = mark;
      open = { mark: ticks, column: toColumn(before), quoted: before.includes('>') };
      return true;
    },
    reset: () => {
      open = null;
    },
  };
}

function toColumn(before: string): number {
  return before.replaceAll('\t', '    ').length;
}
