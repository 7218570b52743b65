import { stripVTControlCharacters } from 'node:util';

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
