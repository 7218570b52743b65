import type { Terminal } from '../terminal.ts';

/** Writes lines and streamed text after one another, so that neither breaks the other. */
export interface LineWriter {
  /** Streams text as it comes. */
  readonly text: (text: string) => void;
  /** A line of its own. */
  readonly line: (text: string) => void;
  /** The beginning of a line that may be finished later, if nothing comes between. */
  readonly openLine: (key: string, text: string) => void;
  /** Finishes that line; false if something came between. */
  readonly closeLine: (key: string, text: string) => boolean;
  /** Ends a line that is open, whoever opened it. */
  readonly finish: () => void;
  /** A line that the next output replaces; on a terminal only, and only between lines. */
  readonly passing: (text: string) => void;
}

const ERASE = '\r\u001b[2K';

/** A writer of lines on standard output. */
export function createLineWriter({ out, isTty }: Pick<Terminal, 'out' | 'isTty'>): LineWriter {
  let isAtStart = true;
  let openKey: string | null = null;
  let isPassing = false;

  const erase = (): void => {
    if (isPassing) out(ERASE);
    isPassing = false;
  };
  const finish = (): void => {
    erase();
    if (!isAtStart) out('\n');
    isAtStart = true;
    openKey = null;
  };

  return {
    text: (text) => {
      if (text === '') return;
      if (openKey === null) erase();
      else finish();
      out(text);
      isAtStart = text.endsWith('\n');
    },
    line: (text) => {
      finish();
      out(`${text}\n`);
    },
    openLine: (key, text) => {
      finish();
      out(text);
      openKey = key;
      isAtStart = false;
    },
    closeLine: (key, text) => {
      if (openKey !== key) return false;
      out(`${text}\n`);
      openKey = null;
      isAtStart = true;
      return true;
    },
    finish,
    passing: (text) => {
      if (!isTty || !isAtStart) return;
      out(`${ERASE}${text}`);
      isPassing = true;
    },
  };
}
