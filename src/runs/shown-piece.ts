import type { ByteRange, TextPiece } from '../wire/turn-texts.ts';
import { readPiece } from './read-piece.ts';

/** So much on both sides of a border is looked at: a longer secret is a key of many lines, whose lines are looked at one by one. */
const AROUND_BYTES = 2048;
/** A border is not moved further. */
const MAX_MOVES = 100;

/**
 * A piece of a text file as it may be shown. Its borders are moved, `from` forward and `next` back, where they would cut a secret in two: neither half would be
 * known for one, and put together they would be it.
 *
 * @param show masks what must not be shown
 */
export function readShownPiece(path: string, range: ByteRange, show: (text: string) => string): TextPiece | null {
  const given = readPiece(path, range);
  if (given === null) return null;
  const from = moveStart(path, given, show);
  const next = moveEnd(path, { ...given, from }, show);
  const piece = from === given.from && next === given.next ? given : readPiece(path, { from, count: next - from });
  return piece === null ? null : { ...piece, text: show(piece.text) };
}

function moveStart(path: string, { from, next }: TextPiece, show: (text: string) => string): number {
  let start = from;
  for (let moves = 0; moves < MAX_MOVES && start < next && isCut(path, start, show); moves += 1) {
    const text = readPiece(path, { from: start, count: Math.min(AROUND_BYTES, next - start) })?.text ?? '';
    start += Buffer.byteLength(/^\S*\s*/.exec(text)?.[0] || text);
  }
  // What is no UTF-8 has other lengths than its text.
  return Math.min(start, next);
}

/** At least one character stays: whoever reads on from `next` must get on. */
function moveEnd(path: string, { from, next }: TextPiece, show: (text: string) => string): number {
  let end = next;
  for (let moves = 0; moves < MAX_MOVES && isCut(path, end, show); moves += 1) {
    const first = Math.max(from, end - AROUND_BYTES);
    const text = readPiece(path, { from: first, count: end - first })?.text ?? '';
    end -= Buffer.byteLength(/\s*\S*$/.exec(text.trimEnd())?.[0] || text) + text.length - text.trimEnd().length;
    if (end <= from) return next;
  }
  return end;
}

/** Whether what is masked on both sides of a border is another text than both sides masked together. */
function isCut(path: string, at: number, show: (text: string) => string): boolean {
  if (at <= 0) return false;
  const first = Math.max(0, at - AROUND_BYTES);
  const before = readPiece(path, { from: first, count: at - first })?.text ?? '';
  const after = readPiece(path, { from: at, count: AROUND_BYTES })?.text ?? '';
  return after !== '' && before !== '' && show(before + after) !== show(before) + show(after);
}
