import { wrapText } from '../views/index.ts';
import { printLine, type Terminal } from './terminal.ts';

/** Writes sentences; on a terminal they are broken between words. `toStyled` makes a line look like what it is. */
export function printProse(terminal: Terminal, text: string, toStyled: (line: string) => string = (line) => line): void {
  for (const line of terminal.isTty ? wrapText(text, terminal.columns()) : [text]) printLine(terminal, toStyled(line));
}
