import type { EvidenceRow } from '../wire/evidence-row.ts';
import type { RunFrame } from '../wire/run-frame.ts';
import type { TimelineSlot } from '../wire/timeline-slot.ts';
import type { ToldEvent } from '../wire/told-event.ts';
import type { TurnDetail, TurnRow } from '../wire/turn-row.ts';
import type { Line } from './cells/screen.ts';
import type { ViewState } from './view-state.ts';

/** Everything that a screen is drawn from. */
export interface Scene {
  readonly frame: RunFrame;
  readonly state: ViewState;
  /** There is more in the journal than was read so far: what is shown is not yet how it is now. */
  readonly isReading: boolean;
  /** Epoch milliseconds, by which what goes on is dated. */
  readonly now: number;
  /** The time of day, for people. */
  readonly clock: (at: number) => string;
  readonly turns: ShownRows<TurnRow>;
  readonly events: ShownRows<ToldEvent>;
  readonly detail: TurnDetail | null;
  /** What is shown of the chosen turn. */
  readonly text: ShownText;
  /** The output of the chosen gate, while its page is shown. */
  readonly gateText: ShownText;
  readonly timeline: readonly TimelineSlot[];
  /** Why nobody may steer now; `null`: it may be steered. */
  readonly whyNot: string | null;
}

/** Rows of a list that have room, and the chosen one among them. */
export interface ShownRows<Row> {
  readonly rows: readonly Row[];
  /** Which of the rows is chosen; -1: none of them. */
  readonly chosen: number;
  /** How many there are in all, and how many before the first one that is shown. */
  readonly total: number;
  readonly before: number;
}

/** The part of a text that has room. */
export interface ShownText {
  readonly lines: readonly Line[];
  /** How far it can be scrolled. */
  readonly maxScroll: number;
  /** A word about what is not shown; empty: everything is. */
  readonly note: string;
}

export const NO_TEXT: ShownText = { lines: [], maxScroll: 0, note: '' };

/** Room of a panel. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
}

/** What a panel holds. */
export interface PanelContent {
  /** What stands behind its name. */
  readonly title: string;
  readonly lines: readonly Line[];
  /** The line that is chosen; -1: none. */
  readonly chosen: number;
}

/** The chosen gate. */
export function toChosenGate({ frame, state }: Pick<Scene, 'frame' | 'state'>): EvidenceRow | undefined {
  return frame.evidence[Math.min(state.gate, frame.evidence.length - 1)];
}
