import { toTurnLabel, toTurnName } from '../../core/run/turn.ts';
import type { Page, PageOrder } from '../../wire/page.ts';
import type { ToldEvent } from '../../wire/told-event.ts';
import type { TurnDetail, TurnRow } from '../../wire/turn-row.ts';
import type { TurnView } from '../fold/run-view.ts';
import { toTurnDetails } from '../report/turn-details.ts';
import { toAboutText, toOutcomeText } from '../report/turn-line.ts';
import { toPlainLine } from '../text/plain-text.ts';
import type { RunHistory } from './watched-run.ts';

/** More rows are not given at once. */
const MAX_PAGE = 500;

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
  const { iteration, attempt, hat, backend, worker, status, startedAt, durationMs, usage, toolCalls, treeChanged, gates } = turn;
  const ran = gates.filter(({ skipped }) => skipped !== true);
  const verdict = ran.length === 0 ? null : ran.at(-1)?.passed === true && ran.every(isLastPassed) ? 'passed' : 'failed';
  return {
    place,
    name: toTurnName(turn),
    label: toTurnLabel(turn),
    iteration,
    attempt,
    hat,
    about: toAboutText(turn),
    backend,
    worker: worker === null ? null : toPlainLine(worker, 60),
    status,
    mark: toMark(turn, verdict),
    startedAt,
    durationMs,
    costUsd: usage.costUsd,
    toolCalls,
    treeChanged,
    gates: verdict,
    topics: [...turn.published.map(({ topic }) => topic), ...turn.blocked.map(({ topic }) => topic)],
    outcome: toOutcomeText(turn),
    startSeq: span.startSeq,
    endSeq: status === 'running' ? null : span.endSeq,
  };
}

function toMark({ status, gatesDue }: TurnView, verdict: TurnRow['gates']): TurnRow['mark'] {
  if (status === 'running' || status === 'failed') return status;
  if (status === 'interrupted' || gatesDue !== undefined) return 'stopped';
  return verdict === 'failed' ? 'red' : 'passed';
}

/** Whether the last result of its gate in the turn is a pass. */
function isLastPassed(result: TurnView['gates'][number], _: number, all: TurnView['gates']): boolean {
  return all.findLast(({ gate }) => gate === result.gate)?.passed === true;
}

/** Everything known of a turn at a moment; `null` where it had not begun. */
export function toTurnDetail(history: RunHistory, place: number, seq?: number): TurnDetail | null {
  const turn = history.turn(place, seq);
  const row = toTurnRow(history, place, seq);
  return turn === undefined || row === null ? null : { row, rows: toTurnDetails(turn) };
}
