import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import type { Transcript } from './transcript-line.ts';

/** The name of a session's file, in the folder of its turn. */
export const SESSION_FILE = 'session.jsonl';

/** Begins a session file, readable by its owner only. Throws the system error, also where the file is there already: a turn is never repeated. */
export function openTranscript(path: string): Transcript {
  const file = openSync(path, 'wx', 0o600);
  let isOpen = true;
  return {
    append: (line) => {
      if (isOpen) writeWhole(file, Buffer.from(`${JSON.stringify(line)}\n`));
    },
    flush: () => {
      if (isOpen) fdatasyncSync(file);
    },
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
}
