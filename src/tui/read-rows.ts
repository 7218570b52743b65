import { toEventPage, toTurnPage, toTurnRow } from '../views/frame/turn-rows.ts';
import type { RunHistory } from '../views/frame/watched-run.ts';
import type { ToldEvent } from '../wire/told-event.ts';
import type { TurnRow } from '../wire/turn-row.ts';
import type { ShownRows } from './scene.ts';

/** A list of a run as it was at a moment, and as it is filtered: places in it. */
export interface RowList<Row> {
  /** How many places are left by the filter. */
  readonly total: number;
  /** The place of the row so many rows further; `null` where the list is empty. `from` `null`: the last one. */
  readonly move: (from: number | null, rows: number) => number | null;
  /** So many rows around the chosen place (`null`: the last one). */
  readonly show: (chosen: number | null, rows: number) => ShownRows<Row>;
}

/** What of a list is wanted. */
export interface ListOrder {
  readonly seq: number;
  /** In lower case; empty: everything. */
  readonly filter: string;
}

/** The turns. */
export function listTurns(history: RunHistory, { seq, filter }: ListOrder): RowList<TurnRow> {
  const total = history.countTurns(seq);
  const at = (place: number): TurnRow | null => toTurnRow(history, place, seq);
  if (filter === '')
    return toList(
      { total, placeAt: (index) => index, indexOf: (place) => place },
      (from, count) => toTurnPage(history, { from, count, seq }).rows,
    );
  const places: number[] = [];
  for (let place = 0; place < total; place += 1) {
    const row = at(place);
    if (row !== null && `${row.hat} ${row.backend} ${row.outcome} ${row.topics.join(' ')}`.toLowerCase().includes(filter))
      places.push(place);
  }
  return toFiltered(places, at);
}

/** The events. */
export function listEvents(history: RunHistory, { seq, filter }: ListOrder): RowList<ToldEvent> {
  const total = history.countEvents(seq);
  const at = (place: number): ToldEvent | null => history.events(place, 1)[0] ?? null;
  if (filter === '')
    return toList(
      { total, placeAt: (index) => index, indexOf: (place) => place },
      (from, count) => toEventPage(history, { from, count, seq }).rows,
    );
  const places: number[] = [];
  for (const [place, row] of history.events(0, total).entries())
    if (`${row.topic} ${row.source} ${row.to.join(' ')} ${row.excerpt}`.toLowerCase().includes(filter)) places.push(place);
  return toFiltered(places, at);
}

/** Indexes of a list are rows on the screen; places are the run's. */
interface RowPlaces {
  readonly total: number;
  readonly placeAt: (index: number) => number;
  readonly indexOf: (place: number) => number;
}

function toFiltered<Row>(places: readonly number[], at: (place: number) => Row | null): RowList<Row> {
  const numbers = new Map(places.map((place, index) => [place, index]));
  return toList(
    { total: places.length, placeAt: (index) => places[index] ?? 0, indexOf: (place) => numbers.get(place) ?? places.length - 1 },
    (from, count) => places.slice(from, from + count).flatMap((place) => at(place) ?? []),
  );
}

function toList<Row>({ total, placeAt, indexOf }: RowPlaces, rowsFrom: (from: number, count: number) => readonly Row[]): RowList<Row> {
  const toIndex = (place: number | null): number => Math.max(0, Math.min(place === null ? total - 1 : indexOf(place), total - 1));
  return {
    total,
    move: (from, rows) => (total === 0 ? null : placeAt(Math.max(0, Math.min(toIndex(from) + rows, total - 1)))),
    show: (chosen, rows) => {
      const index = toIndex(chosen);
      const before = Math.max(0, Math.min(index - Math.floor(rows / 2), total - rows));
      return { rows: rowsFrom(before, Math.max(0, rows)), chosen: total === 0 ? -1 : index - before, total, before };
    },
  };
}
