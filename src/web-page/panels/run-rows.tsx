import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import type { ToldEvent } from '../../wire/told-event.ts';
import type { TurnRow } from '../../wire/turn-row.ts';
import { toTimeOfDay } from '../parts/words.ts';

/** The class of a row, its mark, and what that means. */
const MARKS: Readonly<Record<TurnRow['mark'], readonly [kind: string, mark: string, meaning: string]>> = {
  running: ['running', '▶', 'running'],
  passed: ['succeeded', '✓', 'succeeded'],
  red: ['failed', '✗', 'a gate was red'],
  failed: ['failed', '✗', 'failed'],
  stopped: ['interrupted', '■', 'stopped'],
};

/** A turn in the list of turns. */
export function TurnLine({
  row,
  isSelected,
  onSelect,
}: {
  readonly row: TurnRow;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const [kind, mark, meaning] = MARKS[row.mark];
  const facts = [
    ...(row.about === '' ? [] : [row.about]),
    ...(row.durationMs === null ? [] : [toDurationText(row.durationMs)]),
    ...(row.worker === null ? [] : [`on ${row.worker}`]),
    ...(row.costUsd === null ? [] : [toUsdText(row.costUsd)]),
    ...(row.gates === null ? [] : [row.gates === 'passed' ? 'gates passed' : 'gate red']),
    ...(row.mark === 'stopped' ? ['stopped'] : []),
    ...row.topics,
  ];
  return (
    <button type="button" class={`row ${kind}`} aria-current={isSelected ? 'true' : undefined} onClick={onSelect}>
      <span class="status" title={meaning}>
        {mark}
        <span class="hidden">{meaning}</span>
      </span>{' '}
      <span class="name">{row.label}</span> <strong>{row.hat}</strong> <span class="faint">{facts.join(' · ')}</span>
    </button>
  );
}

/** An event in the list of events; a press looks at the moment in which it came up. */
export function ToldEventLine({ row, onSeek }: { readonly row: ToldEvent; readonly onSeek: () => void }) {
  return (
    <button type="button" class="row" onClick={onSeek} title={`look at input ${row.seq}`}>
      <span class="name">{toTimeOfDay(row.ts)}</span> <strong>{row.topic}</strong>{' '}
      <span class="faint">
        {row.source} → {row.to.join(', ') || 'nobody'}
        {row.status === 'routed' ? '' : ` · ${row.status}`} · {row.excerpt}
      </span>
    </button>
  );
}
