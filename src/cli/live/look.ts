import type { Style } from '../terminal/terminal.ts';

/** How lines of a run are made. */
export interface Look {
  readonly style: Style;
  /** Show routing, commands and the sizes of prompts too. */
  readonly verbose: boolean;
  readonly columns: () => number;
  /** One agent does everything: to whom an event goes says nothing. */
  readonly isSolo: () => boolean;
}

/** The widest that lines are made, however wide the terminal is. */
export const MAX_WIDTH = 100;
