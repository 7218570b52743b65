import { toTurnName } from '../../core/run/turn.ts';
import type { PanelView } from '../fold/panel-view.ts';
import type { TurnView } from '../fold/run-view.ts';
import { toTurnDetails } from '../report/turn-details.ts';
import { toOutcomeText } from '../report/turn-line.ts';
import type { FactRow } from '../text/fact-rows.ts';
import type { RunHistory, ToldEvent } from './run-history.ts';

/** A turn in a list. */
export interface TurnRow {
  /** Its place in the list of turns, from 0; it never changes. */
  readonly place: number;
  /** `7.1`: iteration and attempt. */
  readonly name: string;
  readonly iteration: number;
  readonly attempt: number;
  readonly hat: string;
  readonly backend: string;
  readonly status: TurnView['status'];
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly toolCalls: number | null;
  /** Whether files differ from before; `null` where nobody looked. */
  readonly treeChanged: boolean | null;
  /** What its gates came to; `null` where none ran. */
  readonly gates: 'passed' | 'failed' | null;
  /** Topics that it published, those that a gate turned into others included. */
  readonly topics: readonly string[];
  /** `succeeded after 45.2 s, $0.12` */
  readonly outcome: string;
  /** The input with which it began, and the one with which it ended; `null` while it works. */
  readonly startSeq: number;
  readonly endSeq: number | null;
}

/** A turn with all that is known of it but what it was asked, said and changed: those are files. */
export interface TurnDetail {
  readonly row: TurnRow;
  readonly rows: readonly FactRow[];
  readonly gates: TurnView['gates'];
  readonly panel: PanelView | null;
}

/** A page of a list. */
export interface Page<Row> {
  /** The place of the first row. */
  readonly from: number;
  readonly rows: readonly Row[];
  /** How many there are in all. */
  readonly total: number;
}

/** More rows are not given at once. */
export const MAX_PAGE = 500;

/**
 * Some turns as they were at a moment.
 *
 * @param from the place of the first; below 0: counted from the end
 */
export function toTurnPage(history: RunHistory, { from, count, seq }: PageOrder): Page<TurnRow> {
  const total = history.countTurns(seq);
  const first = toFirst(from, total);
  const last = Math.min(total, first + toCount(count));
  const rows: TurnRow[] = [];
  for (let place = first; place < last; place += 1) {
    const row = toTurnRow(history, place, seq);
    if (row !== null) rows.push(row);
  }
  return { from: first, rows, total };
}

/** Some events as they were at a moment, in the order in which they came up. */
export function toEventPage(history: RunHistory, { from, count, seq }: PageOrder): Page<ToldEvent> {
  const total = history.countEvents(seq);
  const first = toFirst(from, total);
  return { from: first, rows: history.events(first, Math.min(toCount(count), total - first)), total };
}

/** Which rows, and of which moment (default: now). */
export interface PageOrder {
  readonly from: number;
  /** At most {@link MAX_PAGE}. */
  readonly count: number;
  readonly seq?: number | undefined;
}

function toFirst(from: number, total: number): number {
  return Math.max(0, Math.min(from < 0 ? total + from : from, total));
}

function toCount(count: number): number {
  return Math.max(0, Math.min(count, MAX_PAGE));
}

/** A turn as it was at a moment; `null` where it had not begun. */
export function toTurnRow(history: RunHistory, place: number, seq?: number): TurnRow | null {
  const turn = history.turn(place, seq);
  const span = history.span(place);
  if (turn === undefined || span === undefined) return null;
  const { iteration, attempt, hat, backend, status, startedAt, durationMs, usage, toolCalls, treeChanged, gates } = turn;
  const ran = gates.filter(({ skipped }) => skipped !== true);
  return {
    place,
    name: toTurnName(turn),
    iteration,
    attempt,
    hat,
    backend,
    status,
    startedAt,
    durationMs,
    costUsd: usage.costUsd,
    toolCalls,
    treeChanged,
    gates: ran.length === 0 ? null : ran.at(-1)?.passed === true && ran.every(isLastPassed) ? 'passed' : 'failed',
    topics: [...turn.published.map(({ topic }) => topic), ...turn.blocked.map(({ topic }) => topic)],
    outcome: toOutcomeText(turn),
    startSeq: span.startSeq,
    endSeq: status === 'running' ? null : span.endSeq,
  };
}

/** Whether the last result of its gate in the turn is a pass. */
function isLastPassed(result: TurnView['gates'][number], _: number, all: TurnView['gates']): boolean {
  return all.findLast(({ gate }) => gate === result.gate)?.passed === true;
}

/** Everything known of a turn at a moment; `null` where it had not begun. */
export function toTurnDetail(history: RunHistory, place: number, seq?: number): TurnDetail | null {
  const turn = history.turn(place, seq);
  const row = toTurnRow(history, place, seq);
  return turn === undefined || row === null ? null : { row, rows: toTurnDetails(turn), gates: turn.gates, panel: turn.panel };
}
