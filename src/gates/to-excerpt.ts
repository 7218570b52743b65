import { stripVTControlCharacters } from 'node:util';
import { shorten } from '../core/text/shorten.ts';
import { isFailureLine } from '../core/text/telling-lines.ts';

export interface Excerpt {
  readonly text: string;
  /** True if something of the output is not in it. */
  readonly isCut: boolean;
}

/** How much of the room failing parts may take; the rest shows the end, where most tools sum up. */
const FAILURES_SHARE = 0.65;
const LINES_BEFORE = 1;
const LINES_AFTER = 6;
const GAP = '[…]';
/** So much of a line is shown. */
const LINE_LENGTH = 400;

/**
 * What matters of an output that is too long to be shown: the beginnings of its failures, then its end. Of a short one everything.
 *
 * @param isCut the text has lost its beginning already
 * @param remark goes on a line of its own behind it; empty for none
 * @param maxBytes of UTF-8, the remark counted in
 */
export function toExcerpt(text: string, isCut: boolean, remark: string, maxBytes: number): Excerpt {
  const plain = stripVTControlCharacters(text).trimEnd();
  const isLong = Buffer.byteLength(plain) + Buffer.byteLength(remark) + 3 > maxBytes;
  if (!isLong) return { text: toTail(text, isCut, remark, maxBytes), isCut };
  const lines = plain.split('\n');
  const failures = takeFailures(lines, maxBytes * FAILURES_SHARE);
  if (failures.text === '') return { text: toTail(text, isCut, remark, maxBytes), isCut: true };
  const room = maxBytes - Buffer.byteLength(failures.text) - Buffer.byteLength(GAP) - 2;
  // The end begins behind the last failure that is shown, so that nothing is shown twice.
  const end = toTail(lines.slice(failures.next).join('\n'), false, remark, room);
  return { text: [failures.text, GAP, end].join('\n'), isCut: true };
}

/** The parts around failing lines, from the first on, as far as there is room, and the line behind the last of them. */
function takeFailures(lines: readonly string[], maxBytes: number): { readonly text: string; readonly next: number } {
  const shown: string[] = [];
  let bytes = 0;
  let next = 0;
  for (let index = 0; index < lines.length; index += 1) {
    if (!isFailureLine(lines[index] ?? '')) continue;
    const from = Math.max(next, index - LINES_BEFORE);
    const part = lines.slice(from, index + LINES_AFTER + 1).map((line) => shorten(line, LINE_LENGTH));
    const gap = from > next && shown.length > 0 ? [GAP] : [];
    const size = Buffer.byteLength([...gap, ...part].join('\n')) + 1;
    if (bytes + size > maxBytes) break;
    shown.push(...gap, ...part);
    bytes += size;
    next = index + LINES_AFTER + 1;
    index = next - 1;
  }
  return { text: shown.join('\n'), next };
}

/**
 * The end of an output, readable: without control sequences of terminals, beginning with a whole line where that is possible.
 *
 * @param isCut the text has lost its beginning already.
 * @param remark goes on a line of its own behind it; empty for none.
 * @param maxBytes of UTF-8, the remark counted in.
 */
export function toTail(text: string, isCut: boolean, remark: string, maxBytes: number): string {
  const plain = stripVTControlCharacters(text).trimEnd();
  const note = remark === '' ? '' : `[${remark}]`;
  const bytes = Buffer.from(plain);
  const room = Math.max(0, maxBytes - Buffer.byteLength(note) - 1);
  const isShortened = bytes.length > room;
  const end = isShortened ? toWholeCharacters(bytes.subarray(bytes.length - room)) : plain;
  const shown = isCut || isShortened ? fromLineStart(end) : end;
  return [shown, note].filter((part) => part !== '').join('\n');
}

function toWholeCharacters(bytes: Buffer): string {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? '' : bytes.toString('utf8', start);
}

/** One single endless line has no better place to begin than where it was cut. */
function fromLineStart(text: string): string {
  const lineEnd = text.indexOf('\n');
  return lineEnd === -1 ? text : text.slice(lineEnd + 1);
}
