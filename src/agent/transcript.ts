import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import type { TranscriptLine } from './transcript-line.ts';

/** The name of a session's file, in the folder of its turn. */
export const SESSION_FILE = 'session.jsonl';

/** Writes one session. */
export interface Transcript {
  /** Throws the system error. */
  readonly append: (line: TranscriptLine) => void;
  /** Everything that was appended survives a power cut from here on. Throws the system error. */
  readonly flush: () => void;
  readonly close: () => void;
}

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
