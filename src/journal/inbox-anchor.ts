import type { FileSystem } from './file-system.ts';
import { readRange } from './whole-file.ts';

const ANCHOR_BYTES = 256;

/** Remembers what stood before the place up to which a file was read, to see whether it is still the same file. */
export interface InboxAnchor {
  readonly remember: (handle: number, offset: number) => void;
  /** False when other bytes stand before `offset` than did; true when they are the same or unknown. */
  readonly holds: (handle: number, offset: number) => boolean;
}

/**
 * An agent that writes its event with `>` instead of `>>` may leave a file that is longer than what was read of the old one.
 * The size alone would not tell.
 */
export function createInboxAnchor(fs: FileSystem): InboxAnchor {
  let known: { readonly offset: number; readonly bytes: Buffer } | null = null;
  const readBefore = (handle: number, offset: number): Buffer => {
    const lengthBytes = Math.min(offset, ANCHOR_BYTES);
    return readRange(fs, handle, offset - lengthBytes, lengthBytes);
  };
  return {
    remember: (handle, offset) => {
      known = { offset, bytes: readBefore(handle, offset) };
    },
    holds: (handle, offset) => known?.offset !== offset || known.bytes.equals(readBefore(handle, offset)),
  };
}
