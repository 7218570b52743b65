import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { tryOr } from '../core/values/result.ts';
import type { ByteRange, TextPiece } from '../wire/turn-texts.ts';

/** More is not read at once. */
const MAX_BYTES = 1 << 20;
const SEARCH_BYTES = 1 << 20;
const LINE_FEED = 10;
/** So much of a long line is shown around what was found. */
const MAX_LINE_CHARS = 400;
/** So much before and behind what was found is masked together, so that no half of a secret is left. */
const MAX_SHOWN_CHARS = 16_384;

/** A piece of a text file in UTF-8, at most a megabyte; `null` where the file cannot be read. It is cut between characters: `from` may move forward, `next` back, by up to three bytes. */
export function readPiece(path: string, { from, count }: ByteRange): TextPiece | null {
  return withFile(path, (fd, totalBytes) => {
    const first = Math.max(0, Math.min(from < 0 ? totalBytes + from : from, totalBytes));
    const wanted = Math.max(0, Math.min(count, MAX_BYTES, totalBytes - first));
    const bytes = Buffer.alloc(wanted);
    const read = readSync(fd, bytes, 0, wanted, first);
    const start = first === 0 ? 0 : findCharacter(bytes, 0, read);
    const isAtEnd = first + read >= totalBytes;
    const end = isAtEnd ? read : findEnd(bytes, start, read);
    return { text: bytes.toString('utf8', start, end), from: first + start, next: first + end, totalBytes };
  });
}

/** 10xxxxxx goes on with a character that began before it; a character has at most three of them. */
function findCharacter(bytes: Buffer, from: number, to: number): number {
  let start = from;
  while (start < to && start < from + 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

/** Before the last character where not all of it is there. */
function findEnd(bytes: Buffer, from: number, to: number): number {
  for (let back = 1; back <= 4 && to - back >= from; back += 1) {
    const byte = bytes[to - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? to - back : to;
  }
  return to;
}

/**
 * Lines of a file that hold the words, whatever their case, in order; none where it cannot be read. The file is read whole, however long, a megabyte at a time.
 *
 * @param show masks what must not be shown: words are found in what it leaves
 */
export function searchFile(
  path: string,
  words: string,
  limit: number,
  show: (text: string) => string = (text) => text,
): readonly FoundLine[] {
  const sought = words.toLowerCase();
  const hits: FoundLine[] = [];
  if (sought === '' || limit <= 0) return hits;
  withFile(path, (fd, totalBytes) => {
    let offset = 0;
    let rest = Buffer.alloc(0);
    while (offset < totalBytes && hits.length < limit) {
      const bytes = Buffer.alloc(Math.min(SEARCH_BYTES, totalBytes - offset));
      const read = readSync(fd, bytes, 0, bytes.length, offset);
      if (read === 0) break;
      const block = Buffer.concat([rest, bytes.subarray(0, read)]);
      const start = offset - rest.length;
      offset += read;
      const isLast = offset >= totalBytes;
      // A line without an end is searched piece by piece, each with the end of the one before it.
      const cut = isLast ? block.length : block.lastIndexOf(LINE_FEED) + 1 || Math.max(0, block.length - 4 * sought.length);
      findInBlock(block.subarray(0, cut), { start, sought, limit, show }, hits);
      rest = Buffer.from(block.subarray(cut));
    }
    return null;
  });
  return hits;
}

interface FoundLine {
  readonly line: string;
  readonly fromByte: number;
}

interface BlockSearch {
  /** Where in the file the block begins. */
  readonly start: number;
  /** In small letters. */
  readonly sought: string;
  readonly limit: number;
  readonly show: (text: string) => string;
}

function findInBlock(block: Buffer, { start, sought, limit, show }: BlockSearch, hits: FoundLine[]): void {
  if (!block.toString('utf8').toLowerCase().includes(sought)) return;
  for (let from = 0; from < block.length && hits.length < limit; ) {
    const end = block.indexOf(LINE_FEED, from);
    const to = end < 0 ? block.length : end;
    const line = block.toString('utf8', from, to);
    const found = line.toLowerCase().indexOf(sought);
    const shown = found < 0 ? '' : show(line.slice(Math.max(0, found - MAX_SHOWN_CHARS), found + MAX_SHOWN_CHARS));
    const place = found < 0 ? -1 : shown.toLowerCase().indexOf(sought);
    if (place >= 0) {
      const first = Math.max(0, place - MAX_LINE_CHARS / 2);
      hits.push({ line: shown.slice(first, first + MAX_LINE_CHARS), fromByte: start + from });
    }
    from = to + 1;
  }
}

/** A file alone: agents may write beside it, so no link is followed, and no pipe waited for. */
function withFile<Result>(path: string, read: (fd: number, totalBytes: number) => Result): Result | null {
  const fd = tryOr(() => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK), null);
  if (fd === null) return null;
  try {
    const stat = fstatSync(fd);
    return stat.isFile() ? read(fd, stat.size) : null;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
