import type { TimelineSlot } from '../../wire/timeline-slot.ts';
import type { RunHistory } from './watched-run.ts';

/**
 * The whole run in so many slots at most, each of the same number of inputs.
 *
 * @param slots at least 1
 */
export function toTimeline(history: RunHistory, slots: number): readonly TimelineSlot[] {
  const lastSeq = history.lastSeq();
  const size = Math.max(1, Math.ceil(lastSeq / Math.max(1, Math.floor(slots))));
  const made: SlotDraft[] = [];
  for (let fromSeq = 1; fromSeq <= lastSeq; fromSeq += size)
    made.push({ fromSeq, toSeq: Math.min(lastSeq, fromSeq + size - 1), hats: new Map(), rank: 0, iteration: null });
  const turns = history.countTurns();
  for (let place = 0; place < turns; place += 1) addTurn(made, size, history, place);
  return made.map(({ fromSeq, toSeq, hats, rank, iteration }) => ({
    fromSeq,
    toSeq,
    hat:
      [...hats].reduce<readonly [string, number] | null>(
        (most, entry) => (most === null || entry[1] > most[1] ? entry : most),
        null,
      )?.[0] ?? null,
    mark: MARKS[rank] ?? 'none',
    iteration,
  }));
}

const MARKS = ['none', 'ok', 'stopped', 'red', 'failed'] as const;

interface SlotDraft {
  readonly fromSeq: number;
  readonly toSeq: number;
  /** How many inputs of each. */
  readonly hats: Map<string, number>;
  rank: number;
  iteration: number | null;
}

function addTurn(slots: readonly SlotDraft[], size: number, history: RunHistory, place: number): void {
  const turn = history.turn(place);
  const span = history.span(place);
  if (turn === undefined || span === undefined) return;
  const endSeq = span.endSeq ?? history.lastSeq();
  const isRed = turn.gates.some(({ passed, skipped }) => !passed && skipped !== true);
  const isStopped = turn.status === 'interrupted' || turn.gatesDue !== undefined;
  const bad = MARKS.indexOf(turn.status === 'failed' ? 'failed' : isRed ? 'red' : isStopped ? 'stopped' : 'ok');
  const last = toSlot(endSeq, size);
  for (let index = toSlot(span.startSeq, size); index <= last; index += 1) {
    const slot = slots[index];
    if (slot === undefined) continue;
    const inputs = Math.min(slot.toSeq, endSeq) - Math.max(slot.fromSeq, span.startSeq) + 1;
    slot.hats.set(turn.hat, (slot.hats.get(turn.hat) ?? 0) + inputs);
    // What went wrong is seen where the turn ended.
    slot.rank = Math.max(slot.rank, index === last ? bad : 1);
    slot.iteration = turn.iteration;
  }
}

function toSlot(seq: number, size: number): number {
  return Math.floor((seq - 1) / size);
}
