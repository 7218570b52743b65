import type { TurnId } from '../core/run/turn.ts';

/** The folder of one turn: what it was asked and what it said. Never overwritten. */
export interface TurnFolder {
  readonly promptFile: string;
  readonly stdoutPath: string;
  readonly stderrPath: string;
  /** Readable text of the assistant, without tool output. */
  readonly textPath: string;
}

export interface TurnStore {
  /** Makes the folder and writes the prompt; returns the paths and the prompt's SHA-256. Throws the system error. */
  readonly open: (turn: TurnId, prompt: string) => TurnFolder & { readonly promptHash: string };
  /** Appends assistant text; above the cap it is dropped, and the file says so. Throws the system error. */
  readonly appendText: (turn: TurnId, text: string) => void;
  readonly close: (turn: TurnId) => void;
  /** Keeps how the turn ended, before its work is in the folder and its end in the journal. Throws the system error. */
  readonly keepEnd: (turn: TurnId, end: string) => void;
  /** What was kept; `null` where nothing was, or it cannot be read. Never throws. */
  readonly readEnd: (turn: TurnId) => string | null;
}
