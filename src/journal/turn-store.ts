import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type TurnId, toTurnName } from '../core/run/turn.ts';
import { tryOr } from '../core/values/result.ts';
import type { TurnFolder, TurnStore } from '../ports/turn-store.ts';
import { type FileSystem, readRange, withHandle, writeAll, writeFileAtomically } from './file-system.ts';
import { MAX_JOURNAL_LINE_BYTES } from './journal-line.ts';

export interface TurnStoreSettings {
  readonly fs: FileSystem;
  /** The run's `turns` folder. */
  readonly dir: string;
  /** Of a turn's `text.md`. */
  readonly capBytes: number;
}

/** Where a turn's files are, also of a turn that ended long ago. */
export function toTurnFolder(dir: string, turn: TurnId): TurnFolder {
  const folder = join(dir, toTurnName(turn));
  return {
    promptFile: join(folder, 'prompt.md'),
    stdoutPath: join(folder, 'stdout.log'),
    stderrPath: join(folder, 'stderr.log'),
    textPath: join(folder, 'text.md'),
  };
}

/** Said once where the text is cut, so that its end is not taken for the agent's. */
const CUT_NOTE = Buffer.from('\n[text cut here: the rest was not kept]\n');

interface OpenText {
  readonly handle: number;
  roomBytes: number;
  isCut: boolean;
}

/**
 * Keeps turns in `<dir>/<iteration>.<attempt>/`. Nothing is ever overwritten: a folder that `open` finds
 * in the place of a turn's is set aside. It throws `ENOENT` where the
 * folder of the run is gone.
 */
export function createTurnStore({ fs, dir, capBytes }: TurnStoreSettings): TurnStore {
  const texts = new Map<string, OpenText>();

  const open = (turn: TurnId, prompt: string): ReturnType<TurnStore['open']> => {
    const folder = toTurnFolder(dir, turn);
    // Never the run's own folder: where that was removed, together with the journal, nothing may look as if all were well.
    if (fs.stat(dir) === null) fs.makeFolder(dir);
    makeOwnFolder(fs, join(dir, toTurnName(turn)));
    const bytes = Buffer.from(prompt);
    withHandle(fs, fs.open(folder.promptFile, 'create'), (handle) => writeAll(fs, handle, bytes));
    texts.set(toTurnName(turn), { handle: fs.open(folder.textPath, 'append'), roomBytes: capBytes, isCut: false });
    return { ...folder, promptHash: createHash('sha256').update(bytes).digest('hex') };
  };

  const appendText = (turn: TurnId, text: string): void => {
    const open = texts.get(toTurnName(turn));
    if (open === undefined || open.isCut) return;
    const bytes = Buffer.from(text);
    const kept = cutToCharacter(bytes, open.roomBytes);
    // The first text that does not fit whole is the last: a gap in the middle would read as if nothing were missing.
    open.isCut = kept.length < bytes.length;
    open.roomBytes -= kept.length;
    writeAll(fs, open.handle, open.isCut ? Buffer.concat([kept, CUT_NOTE]) : kept);
  };

  const close = (turn: TurnId): void => {
    const open = texts.get(toTurnName(turn));
    texts.delete(toTurnName(turn));
    if (open !== undefined) fs.close(open.handle);
  };

  const toEndPath = (turn: TurnId): string => join(dir, toTurnName(turn), 'end.json');

  const keepEnd = (turn: TurnId, end: string): void => writeFileAtomically(fs, toEndPath(turn), end);

  const readEnd = (turn: TurnId): string | null => {
    return tryOr(() => {
      const path = toEndPath(turn);
      const size = fs.stat(path)?.sizeBytes ?? 0;
      if (size === 0 || size > MAX_JOURNAL_LINE_BYTES) return null;
      return withHandle(fs, fs.open(path, 'read'), (handle) => readRange(fs, handle, 0, size)).toString('utf8');
    }, null);
  };

  return { open, appendText, close, keepEnd, readEnd };
}

/** A folder that is there already is of a turn whose entry the journal lost: it is set aside as `<turn>.lost-<n>`. */
function makeOwnFolder(fs: FileSystem, folder: string): void {
  if (fs.stat(folder) !== null) {
    let number = 1;
    while (fs.stat(`${folder}.lost-${number}`) !== null) number += 1;
    fs.rename(folder, `${folder}.lost-${number}`);
  }
  fs.makeFolder(folder);
}

/** The first bytes, at most `maxBytes`, without half a character at their end. */
function cutToCharacter(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes;
  // 10xxxxxx goes on with a character that began before it.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
