import type { LoopDetection } from '../../core/run/run-spec.ts';
import type { Footprint } from '../../core/run/state.ts';

/**
 * Looks for a loop at the end of the publications: `repetition` times the same hat, topic and payload, or `oscillation`
 * times the same pair in turn (A, B, A, B, A, B). A new payload is a new publication, so progress reports under one topic are no loop.
 *
 * @returns what was seen, in words: who published which topic with which payload, and how often; or `null`
 */
export function findLoop(footprints: readonly Footprint[], detection: LoopDetection): string | null {
  const last = footprints[footprints.length - 1];
  if (last === undefined) return null;
  if (repeats(footprints, detection.repetition, 1))
    return `${last.hat} published ${toEventText(last)} ${detection.repetition} times in a row, with the same payload each time`;
  const circle = findDefaultCircle(footprints, detection);
  if (circle !== null) return circle;
  const before = footprints[footprints.length - 2];
  if (before === undefined || isSame(before, last)) return null;
  if (!repeats(footprints, detection.oscillation, 2)) return null;
  return `${before.hat} and ${last.hat} exchanged the same two events ${detection.oscillation} times: ${before.hat} ${toEventText(before)}, ${last.hat} ${toEventText(last)}`;
}

/** Turns in a row that changed nothing and left it to their defaults, until the same default came up `oscillation` times. */
function findDefaultCircle(footprints: readonly Footprint[], { oscillation }: LoopDetection): string | null {
  const last = footprints[footprints.length - 1];
  if (last?.isDefault !== true || oscillation < 2) return null;
  const row = footprints.slice(footprints.findLastIndex((mark) => mark.isDefault !== true) + 1);
  const count = row.filter((mark) => isSame(mark, last)).length;
  if (count < oscillation) return null;
  const hats = [...new Set(row.map((mark) => mark.hat))];
  return `${hats.slice(0, SHOWN_HATS).join(', ')} changed no file and left it to default_publishes, round and round: ${last.hat} ${toEventText(last)} ${count} times`;
}

const SHOWN_HATS = 6;

/** `build.done ("tests pass")`; of an old journal nothing is known but that it was an event. */
function toEventText({ topic, excerpt = '' }: Footprint): string {
  if (topic === undefined) return 'the same event';
  return excerpt.length === 0 ? topic : `${topic} (${JSON.stringify(excerpt)})`;
}

/** True if the last `times * period` publications repeat with that period. */
function repeats(footprints: readonly Footprint[], times: number, period: number): boolean {
  const length = times * period;
  if (times < 2 || footprints.length < length) return false;
  const tail = footprints.slice(-length);
  return tail.every((mark, index) => index < period || isSame(mark, tail[index - period] as Footprint));
}

function isSame(left: Footprint, right: Footprint): boolean {
  return left.hat === right.hat && left.hash === right.hash;
}
