import { TOPIC_CONTINUE } from '../../core/events/reserved.ts';
import { toTurnLabel } from '../../core/run/turn.ts';
import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import type { PublishedEvent, TurnView } from '../fold/run-view.ts';
import { toList, toPlainLine } from '../text/plain-text.ts';
import { toWorkerText } from './fleet-rows.ts';

/**
 * A turn on one line: `3 builder succeeded in 45.2 s -> build.done to reviewer`.
 *
 * @param isCutOff whether the process of its run is gone and the run has not ended
 */
export function toTurnLine(turn: TurnView, isCutOff = false): string {
  const outcome = isCutOff && turn.status === 'running' ? 'was running when the process of the run ended' : toOutcomeText(turn);
  return `${toTurnLabel(turn)} ${turn.hat}${toWorkerText(turn.worker)} ${outcome}${toEventsText(turn)}`;
}

/** How a turn went: `succeeded in 45.2 s, $0.12`, `failed in 2.0 s: exit code 1`, `is running`. */
export function toOutcomeText(turn: TurnView): string {
  if (turn.status === 'running') return 'is running';
  const took = turn.durationMs === null || turn.durationMs === 0 ? '' : ` after ${toDurationText(turn.durationMs)}`;
  const cost = turn.usage.costUsd === null ? '' : `, ${toUsdText(turn.usage.costUsd)}`;
  const why = turn.failure === null ? '' : `: ${toPlainLine(turn.failure.message, 160)}`;
  return `${turn.status}${took}${cost}${why}`;
}

/** ` → build.done to reviewer, …`; empty where a turn published nothing. */
function toEventsText({ published, blocked }: TurnView): string {
  const toWhom = ({ topic, to }: Pick<PublishedEvent, 'topic' | 'to'>): string =>
    to.length === 0 ? topic : `${topic} to ${to.join(' and ')}`;
  const events = [
    ...published.filter((event) => event.topic !== TOPIC_CONTINUE).map(toWhom),
    ...blocked.map((event) => `${event.original} blocked by a gate: ${toWhom(event)}`),
  ];
  return events.length === 0 ? '' : ` → ${toList(events, 3)}`;
}
