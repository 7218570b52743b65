import type { Size } from './cells/screen.ts';
import { PANELS, type PanelNumber, type ViewState } from './view-state.ts';

/** Where a panel stands: its title row, and below it the rows of what it holds. */
export interface PanelPlace {
  readonly panel: PanelNumber;
  readonly row: number;
  readonly column: number;
  readonly columns: number;
  /** Without the title. */
  readonly rows: number;
}

/** Where everything stands. */
export interface ScreenLayout extends Size {
  readonly panels: readonly PanelPlace[];
  /** The column of the line between the two halves; `null`: there is one half. */
  readonly middle: number | null;
  readonly timelineRow: number;
  readonly keyRow: number;
}

/** What panels would like to have. */
export interface Wishes {
  readonly attention: number;
  readonly flow: number;
  readonly evidence: number;
}

/** On a smaller screen there is no room for panels: only how the run is and what it needs. */
export const LEAST: Size = { columns: 24, rows: 7 };
/** With fewer columns there is room for one panel at a time. */
const TWO_HALVES = 60;
/** From so many rows on, turns and events are shown both. */
const BOTH_LISTS = 30;

/** Lays a screen out. Total: of a screen that is too small for everything, what is below is missing. */
export function toScreenLayout(size: Size, state: Pick<ViewState, 'panel' | 'list' | 'isZoomed'>, wishes: Wishes): ScreenLayout {
  const { columns, rows } = size;
  const body = Math.max(1, rows - 3);
  const frame = { columns, rows, timelineRow: rows - 2, keyRow: rows - 1 };
  if (isTooSmall(size)) return { ...frame, middle: null, panels: [] };
  if (columns < TWO_HALVES || state.isZoomed)
    return { ...frame, middle: null, panels: [{ panel: state.panel, row: 1, column: 0, columns, rows: body - 1 }] };
  const middle = toMiddle(columns);
  return { ...frame, middle, panels: [...layLeft(body, middle, state, wishes), ...layRight(body, middle, columns, wishes)] };
}

/** Whether there is no room for panels. */
export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < LEAST.columns || rows < LEAST.rows;
}

/** Where the line between two halves stands. */
export function toMiddle(columns: number): number {
  return Math.min(96, Math.floor(columns * 0.46));
}

function layLeft(body: number, columns: number, { list }: Pick<ViewState, 'list'>, wishes: Wishes): readonly PanelPlace[] {
  const isBoth = body >= BOTH_LISTS;
  const attention = bound(wishes.attention, 2, Math.floor(body * 0.3));
  const flow = bound(wishes.flow, 3, Math.floor(body * 0.4));
  const rest = body - attention - flow - (isBoth ? 4 : 3);
  const place = { column: 0, columns };
  const top = [
    { ...place, panel: PANELS.attention, row: 1, rows: attention },
    { ...place, panel: PANELS.flow, row: 2 + attention, rows: flow },
  ];
  const row = 3 + attention + flow;
  if (!isBoth) return [...top, { ...place, panel: list, row, rows: rest }];
  const turns = Math.ceil(rest / 2);
  return [
    ...top,
    { ...place, panel: PANELS.turns, row, rows: turns },
    { ...place, panel: PANELS.events, row: row + turns + 1, rows: rest - turns },
  ];
}

function layRight(body: number, middle: number, columns: number, wishes: Wishes): readonly PanelPlace[] {
  const evidence = bound(wishes.evidence, 2, Math.floor(body * 0.4));
  const turn = body - evidence - 2;
  const place = { column: middle + 1, columns: columns - middle - 1 };
  return [
    { ...place, panel: PANELS.turn, row: 1, rows: turn },
    { ...place, panel: PANELS.evidence, row: 2 + turn, rows: evidence },
  ];
}

function bound(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

/** The room of a panel; `null`: it is not on the screen. */
export function findPanelPlace({ panels }: ScreenLayout, panel: PanelNumber): PanelPlace | null {
  return panels.find((place) => place.panel === panel) ?? null;
}
