import { styleText } from 'node:util';
import { toSafeJson } from '../../core/text/mask-controls.ts';
import type { Environment } from '../../core/values/environment.ts';

/** What a piece of text is; its colour follows from it. */
type StyleName = 'heading' | 'faint' | 'good' | 'bad' | 'warning' | 'name';

/** Gives a text its colour, or leaves it as it is. */
export type Style = (name: StyleName, text: string) => string;

const FORMATS = {
  heading: 'bold',
  faint: 'dim',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  name: 'cyan',
} as const;

const colourStyle: Style = (name, text) => (text === '' ? '' : styleText(FORMATS[name], text, { validateStream: false }));

export const plainStyle: Style = (_name, text) => text;

export function isColoured(style: Style): boolean {
  return style !== plainStyle;
}

/**
 * Whether a stream gets colours: a terminal that is not dumb, unless NO_COLOR is set (to anything but nothing); FORCE_COLOR for those who
 * know better.
 */
export function wantsColour(isTty: boolean, env: Environment): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return isTty && env['TERM'] !== 'dumb';
}

/** Where a command writes: results to standard output, everything about them to standard error. */
export interface Terminal {
  /** Writes to standard output; nothing once nobody reads it any more. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Whether a person reads standard output. */
  readonly isTty: boolean;
  /** Whether what was written may be drawn over: a terminal that is not dumb, of a person who did not set NO_COLOR. */
  readonly canMove: boolean;
  readonly columns: () => number;
  readonly style: Style;
  readonly errStyle: Style;
  /** True once the reader of standard output is gone (`ralph events | head`). */
  readonly isClosed: () => boolean;
  /** A promise that settles when the reader of standard output has taken what was written, while it is far behind; else `null`. */
  readonly backpressure: () => Promise<void> | null;
  /** Why standard output could not be written (`ENOSPC`), but for a reader that is gone. */
  readonly failure: () => string | null;
}

export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly writableLength?: number | undefined;
  readonly destroyed: boolean;
  readonly write: (text: string) => unknown;
  readonly on: (event: 'error', listener: (error: NodeJS.ErrnoException) => void) => unknown;
  readonly once?: (event: 'drain' | 'close', listener: () => void) => unknown;
}

/** The widest that a report of a run is made, however wide the terminal is. */
export const MAX_WIDTH = 100;
/** Where nobody says how wide it is. */
const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 40;

/** A reader that went away is no error; it ends the command. */
export class OutputClosed extends Error {}

/** The terminal over the process's own streams. */
export function createTerminal(stdout: OutputStream, stderr: OutputStream, env: Environment): Terminal {
  let failure: string | null = null;
  const unicode = showsUnicode(env);
  const writeTo = (stream: OutputStream) => {
    const adapt = stream.isTTY === true && !unicode ? toAscii : (text: string): string => text;
    return (text: string): void => {
      if (!stream.destroyed) stream.write(adapt(text));
    };
  };
  stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') failure = error.code ?? error.message;
  });
  stderr.on('error', () => undefined);
  return {
    out: writeTo(stdout),
    err: writeTo(stderr),
    isTty: stdout.isTTY === true,
    canMove: stdout.isTTY === true && env['TERM'] !== 'dumb' && (env['NO_COLOR'] ?? '') === '',
    columns: () => Math.max(MIN_COLUMNS, stdout.columns || DEFAULT_COLUMNS),
    style: wantsColour(stdout.isTTY === true, env) ? colourStyle : plainStyle,
    errStyle: wantsColour(stderr.isTTY === true, env) ? colourStyle : plainStyle,
    isClosed: () => stdout.destroyed,
    backpressure: watchReader(stdout),
    failure: () => failure,
  };
}

/**
 * More of what nobody has read yet is not kept in memory. Each line waits as an object of its own, outlives the short-lived part of the heap, and fills the
 * other one with garbage: a whole run takes many times this.
 */
const MOST_WAITING_BYTES = 1 << 18;

/** All who ask wait for the same moment: the reader has taken everything, or is gone. */
function watchReader(stdout: OutputStream): () => Promise<void> | null {
  let waiting: Promise<void> | null = null;
  return () => {
    if (stdout.destroyed || (stdout.writableLength ?? 0) <= MOST_WAITING_BYTES) return null;
    waiting ??= new Promise<void>((resolve) => {
      stdout.once?.('drain', resolve);
      stdout.once?.('close', resolve);
    }).finally(() => {
      waiting = null;
    });
    return waiting;
  };
}

/** Writes a line to standard output; throws {@link OutputClosed} when nobody reads it any more, so that a long list stops. */
export function printLine(terminal: Terminal, line: string): void {
  if (terminal.isClosed()) throw new OutputClosed();
  terminal.out(`${line}\n`);
}

/** Writes a value to standard output as JSON, on one line unless it is to be set in; throws as {@link printLine}. All JSON of the command goes this way. */
export function printJson(terminal: Terminal, value: object, indent?: number): void {
  printLine(terminal, toSafeJson(value, indent));
}

/** The marks that Ralph writes, for terminals that cannot show them. */
const ASCII: Readonly<Record<string, string>> = {
  '─': '-',
  '·': '-',
  '→': '->',
  '⚙': '*',
  '✓': '+',
  '✗': 'x',
  '▸': '>',
  '…': '...',
  '’': "'",
  '“': '"',
  '”': '"',
  '│': '|',
  '┆': ':',
  '┃': '#',
  '╌': '.',
  '━': '=',
  '╭': '+',
  '╮': '+',
  '╰': '+',
  '╯': '+',
  '┌': '+',
  '┐': '+',
  '└': '+',
  '┘': '+',
  '├': '+',
  '┤': '+',
  '┬': '+',
  '┴': '+',
  '┼': '+',
  '┏': '#',
  '┓': '#',
  '┗': '#',
  '┛': '#',
  '┣': '#',
  '┫': '#',
  '┳': '#',
  '┻': '#',
  '╋': '#',
  '▲': '^',
  '▼': 'v',
  '▶': '>',
  '◈': '%',
  '↻': '@',
  '×': 'x',
};
const MARKS = new RegExp(`[${Object.keys(ASCII).join('')}]`, 'g');

/** A text without Ralph's own marks; what else is not ASCII is the agents' and stays. */
export function toAscii(text: string): string {
  return text.replace(MARKS, (mark) => ASCII[mark] ?? mark);
}

/**
 * Whether a terminal shows UTF-8: what LC_ALL, else LC_CTYPE, else LANG says. Where none says anything (a container), only consoles that
 * certainly cannot are taken at their TERM.
 */
export function showsUnicode(env: Environment): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  if (locale !== undefined) return /utf-?8/i.test(locale);
  return env['TERM'] !== 'linux' && env['TERM'] !== 'dumb';
}
