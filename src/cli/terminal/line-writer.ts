import type { Terminal } from './terminal.ts';

/** Writes lines and streamed text after one another, so that neither breaks the other. */
export interface LineWriter {
  readonly text: (text: string) => void;
  readonly line: (text: string) => void;
  /** An empty line; none in a log, where every line bears a time. */
  readonly gap: () => void;
  /** The beginning of a line that may be finished later, if nothing comes between. */
  readonly openLine: (key: string, text: string) => void;
  /** Finishes that line; false if something came between. */
  readonly closeLine: (key: string, text: string) => boolean;
  /** Ends a line that is open, whoever opened it. */
  readonly finish: () => void;
  /** Shows a line below everything else, in the place of the one before; `null` takes it away. Only where the terminal can move. */
  readonly status: (text: string | null) => void;
}

export interface LineSettings {
  /** What each line begins with, such as the time of day; absent: nothing. */
  readonly stamp?: () => string;
}

/** Erases from the cursor on: the status line, in however many rows a narrowed terminal has broken it. */
const ERASE = '\u001b[J';
/** A line longer than the terminal is cut by it, not broken. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
/** Makes sure that there is a row below, saves where the cursor is, goes there; then back. */
const BELOW = '\u001bD\u001b[A\u001b7\u001b[B\r';
const BACK = '\u001b8';
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room
const COLOURS = /\u001b\[[0-9;]*m/g;

/** What goes to the terminal, with the status line below. */
interface Output {
  readonly put: (text: string) => void;
  readonly isAtStart: () => boolean;
  readonly status: LineWriter['status'];
}

/**
 * The cursor always stands behind what was written last; a status line stands at the cursor or in the row below and is erased in the same write that
 * brings something else, so that it neither flickers nor stays in the scrollback.
 */
function createOutput({ out, canMove, columns }: LineTerminal, { stamp }: LineSettings): Output {
  /** The line that is open, without colours; only its length matters. */
  let open = '';
  let status: string | null = null;
  let isDrawn = false;

  const draw = (): string => {
    // A line that fills the row leaves the cursor in no place that could be returned to.
    if (status === null || (open !== '' && open.length % columns() === 0)) return '';
    isDrawn = true;
    return open === '' ? `${NO_WRAP}${status}${WRAP}\r` : `${BELOW}${NO_WRAP}${status}${WRAP}${BACK}`;
  };
  const erase = (): string => {
    const wasDrawn = isDrawn;
    isDrawn = false;
    return wasDrawn ? ERASE : '';
  };
  return {
    put: (text) => {
      const shown = stamp === undefined ? text : stampLines(text, open === '', stamp());
      const end = text.lastIndexOf('\n');
      open = (end === -1 ? open + text : text.slice(end + 1)).replace(COLOURS, '');
      if (open.length > MAX_OPEN) open = open.slice(-(open.length % columns()) || -columns());
      out(`${erase()}${shown}${draw()}`);
    },
    isAtStart: () => open === '',
    status: (text) => {
      if (!canMove) return;
      status = text;
      const change = `${erase()}${draw()}`;
      if (change !== '') out(change);
    },
  };
}

type LineTerminal = Pick<Terminal, 'out' | 'canMove' | 'columns'>;

export function createLineWriter(terminal: LineTerminal, settings: LineSettings = {}): LineWriter {
  const { put, isAtStart, status } = createOutput(terminal, settings);
  let openKey: string | null = null;
  const finish = (): void => {
    openKey = null;
    if (!isAtStart()) put('\n');
  };
  return {
    text: (text) => {
      if (text === '') return;
      if (openKey !== null) finish();
      put(text);
    },
    line: (text) => {
      finish();
      put(`${text}\n`);
    },
    gap: () => {
      finish();
      if (settings.stamp === undefined) put('\n');
    },
    openLine: (key, text) => {
      finish();
      put(text);
      openKey = key;
    },
    closeLine: (key, text) => {
      if (openKey !== key) return false;
      put(`${text}\n`);
      openKey = null;
      return true;
    },
    finish,
    status,
  };
}

/** More of an open line than this is not kept; what matters of it is where in the row it ends. */
const MAX_OPEN = 4096;

function stampLines(text: string, isAtStart: boolean, stamp: string): string {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const stamped = body.replaceAll('\n', `\n${stamp}`);
  return `${isAtStart ? stamp : ''}${stamped}${text.endsWith('\n') ? '\n' : ''}`;
}
