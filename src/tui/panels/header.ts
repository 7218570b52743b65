import { toUsdText } from '../../core/text/duration.ts';
import { toTextCells } from '../../core/text/text-cells.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { Line, TonedText } from '../cells/screen.ts';
import type { Scene } from '../scene.ts';
import { span, toClockText, toStateSpan } from './words.ts';

/** A part of the header, and when it gives way. */
interface HeaderPart {
  readonly span: TonedText;
  /** The highest one gives way first. */
  readonly rank: number;
  /** What stands in its place then. Absent: nothing. */
  readonly less?: HeaderPart;
}

/** Is it running, does it need me, how far is it, what does it cost, which moment is this: in that order, the less important parts only where they have room. */
export function toHeaderLine({ frame, isReading }: Pick<Scene, 'frame' | 'isReading'>, columns: number): Line {
  let parts = isReading ? listReading(frame) : listParts(frame);
  const widthOf = (list: readonly HeaderPart[]): number => list.reduce((sum, part) => sum + toTextCells(part.span.text) + 2, 0);
  while (parts.length > 1 && widthOf(parts) > columns) {
    const worst = Math.max(...parts.map(({ rank }) => rank));
    parts = parts.flatMap((part) => (part.rank !== worst ? [part] : part.less === undefined ? [] : [part.less]));
  }
  const title = columns - widthOf(parts) > 8 ? [span(frame.title, 'faint')] : [];
  return [...parts.flatMap((part) => [part.span, span('  ')]), ...title];
}

/** How it is now is not known yet, so nothing of it is said. */
function listReading({ lastSeq, runId }: RunFrame): readonly HeaderPart[] {
  return [
    { span: span(`READING THE JOURNAL: input ${lastSeq} so far`, 'warning'), rank: 0 },
    { span: span(runId, 'faint'), rank: 6 },
  ];
}

function listParts(frame: RunFrame): readonly HeaderPart[] {
  const { attention, progress } = frame;
  const { iterations, maxIterations, elapsedMs, maxRuntimeMs, costUsd, maxCostUsd, costNote } = progress;
  // One word for how it is: of a run that waits for its person that says what it needs, too.
  const isUrgent = attention.state !== 'working' && attention.state !== 'done' && frame.state !== 'waiting';
  // A turn under way is the one that a person means.
  const number = Math.max(iterations, ...frame.working.map(({ iteration }) => iteration));
  const turn = maxIterations === null ? `turn ${number}` : `turn ${number}/${maxIterations}`;
  const limit = costUsd === null || maxCostUsd === null ? '' : `/${toUsdText(maxCostUsd)}`;
  const cost = costUsd === null ? 'cost unknown' : `${toUsdText(costUsd)}${limit}`;
  return [
    { span: toStateWord(frame), rank: 0 },
    ...(isUrgent ? [{ span: toStateSpan(attention, frame), rank: 1 }] : []),
    { span: span(turn, 'heading'), rank: 2 },
    { span: span(toClockText(elapsedMs)), rank: 5 },
    ...(maxRuntimeMs === null ? [] : [{ span: span(`of ${toClockText(maxRuntimeMs)}`, 'faint'), rank: 8 }]),
    { span: span(cost), rank: 3 },
    ...(costNote === '' ? [] : [{ span: span(costNote.replace(/^[, ]+/, '')), rank: 6 }]),
    ...(frame.fleet === null ? [] : [{ span: span('on a fleet', 'faint'), rank: 7 }]),
    toMomentPart(frame),
    { span: span(frame.runId, 'faint'), rank: 7 },
  ];
}

/** Which moment is shown: that it is the past is never left out for a number. */
function toMomentPart({ isNow, seq, lastSeq, state }: RunFrame): HeaderPart {
  if (!isNow) return { span: span(`PAST input ${seq} of ${lastSeq}`, 'urgent'), rank: 6, less: { span: span('PAST', 'urgent'), rank: 1 } };
  const word = state === 'ended' ? 'END' : 'LIVE';
  return { span: span(`${word} input ${lastSeq}`), rank: 6, less: { span: span(word), rank: 4 } };
}

function toStateWord({ state, word, end, working }: RunFrame): TonedText {
  const text = word.toUpperCase();
  if (state === 'running') return span(working.length === 0 ? text : `▸ ${text}`, 'good');
  if (state === 'waiting') return span(`! ${text}`, 'urgent');
  if (end?.reason === 'completed') return span(`✓ ${text}`, 'good');
  return span(text, state === 'gone' ? 'bad' : 'warning');
}
