import { toUsdText } from '../../core/text/duration.ts';
import { toList } from '../../views/text/plain-text.ts';
import type { ToldEvent } from '../../wire/told-event.ts';
import type { TurnRow } from '../../wire/turn-row.ts';
import type { Line, TonedText } from '../cells/screen.ts';
import type { PanelContent, Room, Scene, ShownRows } from '../scene.ts';
import { span, toClockText, toTookText } from './words.ts';

/** The turns, a row for each. */
export function toTurnsPanel({ turns, frame, now }: Scene, _: Room): PanelContent {
  const at = frame.isNow ? now : frame.at;
  return { title: toCountText(turns), lines: turns.rows.map((row) => toTurnLine(row, at)), chosen: turns.chosen };
}

/** The events, a row for each. */
export function toEventsPanel({ events, clock }: Scene, _: Room): PanelContent {
  return { title: toCountText(events), lines: events.rows.map((row) => toEventLine(row, clock)), chosen: events.chosen };
}

function toCountText({ before, rows, total }: ShownRows<unknown>): string {
  return rows.length === total ? String(total) : `${before + 1} to ${before + rows.length} of ${total}`;
}

/** A mark and, where it is no success, a word. */
const MARKS: Readonly<Record<TurnRow['mark'], { readonly mark: TonedText; readonly word: string }>> = {
  running: { mark: span('▸', 'good'), word: '' },
  passed: { mark: span('✓', 'good'), word: '' },
  red: { mark: span('✗', 'bad'), word: '' },
  failed: { mark: span('✗', 'bad'), word: ' failed' },
  stopped: { mark: span('■', 'warning'), word: ' stopped' },
};

function toTurnLine({ label, mark: kind, hat, about, worker, startedAt, durationMs, costUsd, gates, topics }: TurnRow, at: number): Line {
  const { mark, word } = MARKS[kind];
  const took = durationMs === null ? toClockText(at - startedAt) : toTookText(durationMs);
  return [
    mark,
    span(` ${label.padEnd(4)}`, 'faint'),
    span(hat.padEnd(10), kind === 'running' ? 'good' : 'plain'),
    span(` ${took.padStart(6)} ${(costUsd === null ? '' : toUsdText(costUsd)).padStart(7)}`),
    ...(word === '' ? [] : [span(word, kind === 'stopped' ? 'warning' : 'bad')]),
    ...(gates === null ? [] : [gates === 'passed' ? span(' gates ok', 'good') : span(' gate RED', 'bad')]),
    ...(about === '' ? [] : [span(` ${about}`, 'faint')]),
    ...(worker === null ? [] : [span(` on ${worker}`, 'faint')]),
    ...(topics.length === 0 ? [] : [span(' → ', 'faint'), span(toList(topics, 3))]),
  ];
}

function toEventLine({ seq, ts, topic, source, to, status, excerpt }: ToldEvent, clock: Scene['clock']): Line {
  const whom = to.length > 0 ? to.join(' and ') : status;
  return [
    span(`#${seq} `.padEnd(6), 'faint'),
    span(`${clock(ts)} `, 'faint'),
    span(topic, status === 'refused' ? 'bad' : 'heading'),
    span(` ${source} → ${whom}`),
    ...(status === 'refused' ? [span(' refused', 'bad')] : []),
    span(excerpt === '' ? '' : `: ${excerpt}`, 'faint'),
  ];
}
