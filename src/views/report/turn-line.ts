import { TOPIC_CONTINUE } from '../../core/events/reserved.ts';
import { NOT_TAKEN_OVER, toTurnLabel } from '../../core/run/turn.ts';
import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import type { ConflictView, PublishedEvent, RunView, TurnView } from '../fold/run-view.ts';
import { cutText, toCountedList, toList, toPathText, toPlainLine } from '../text/plain-text.ts';

/**
 * A turn on one line: `3 builder succeeded in 45.2 s -> build.done to reviewer`.
 *
 * @param isCutOff whether the process of its run is gone and the run has not ended
 */
export function toTurnLine(turn: TurnView, isCutOff = false): string {
  const outcome = isCutOff && turn.status === 'running' ? 'was running when the process of the run ended' : toOutcomeText(turn);
  const about = toAboutText(turn);
  return `${toTurnLabel(turn)} ${turn.hat}${about === '' ? '' : ` (${about})`}${toWorkerText(turn.worker)} ${outcome}${toEventsText(turn)}`;
}

/** How a turn went: `succeeded in 45.2 s, $0.12`, `failed in 2.0 s: exit code 1`, `is running`. */
export function toOutcomeText(turn: TurnView): string {
  if (turn.status === 'running') return 'is running';
  const took = turn.durationMs === null || turn.durationMs === 0 ? '' : ` after ${toDurationText(turn.durationMs)}`;
  const cost = turn.usage.costUsd === null ? '' : `, ${toUsdText(turn.usage.costUsd)}`;
  const why = turn.failure === null ? '' : `: ${toFailureText(turn, turn.failure.message)}`;
  return `${turn.status}${took}${cost}${why}`;
}

/** What tells a turn from others of its hat at the same time: `task.ready e4: Cut the wood`; empty where none are. */
export function toAboutText({ given }: Pick<TurnView, 'given'>): string {
  return given
    .flatMap(({ id, topic, excerpt }) =>
      excerpt === undefined ? [] : `${topic} ${id}${excerpt === '' ? '' : `: ${cutText(excerpt, ABOUT_LENGTH)}`}`,
    )
    .join(', ');
}

const ABOUT_LENGTH = 60;

/** For which conflict, and nothing else, a turn failed; `null`: for none. */
export function findConflict({ failure, conflict }: Pick<TurnView, 'failure' | 'conflict'>): ConflictView | null {
  return failure?.message.startsWith(NOT_TAKEN_OVER) === true ? conflict : null;
}

/** `a.txt and b.txt were changed meanwhile` */
export function toConflictCause({ paths, total, why }: ConflictView): string {
  if (why !== undefined) return toPlainLine(why, 160);
  const shown = paths.slice(0, SHOWN_PATHS).map(toPathText);
  const more = total > shown.length ? ` and ${total - shown.length} more` : '';
  return `${shown.join(', ')}${more} ${total === 1 ? 'was' : 'were'} changed meanwhile`;
}

const SHOWN_PATHS = 3;

function toFailureText(turn: TurnView, message: string): string {
  const conflict = findConflict(turn);
  if (conflict === null) return toPlainLine(message, 160);
  return `${toConflictCause(conflict)}, ${conflict.isGivenAgain ? 'so its hat gets the turn again' : 'once more'}`;
}

/** ` → build.done to reviewer, …`; empty where a turn published nothing. */
function toEventsText({ published, blocked }: TurnView): string {
  const toWhom = ({ topic, to }: Pick<PublishedEvent, 'topic' | 'to'>): string =>
    to.length === 0 ? topic : `${topic} to ${to.join(' and ')}`;
  const events = [
    ...published.filter((event) => event.topic !== TOPIC_CONTINUE).map(toWhom),
    ...blocked.map((event) => `${event.original} blocked by a gate: ${toWhom(event)}`),
  ];
  return events.length === 0 ? '' : ` → ${toCountedList(events, 3)}`;
}

/** ` on worker strong`; empty for what is not on a fleet. */
export function toWorkerText(worker: string | null | undefined): string {
  return worker == null ? '' : ` on worker ${toPlainLine(worker, 60)}`;
}

/**
 * That a run is on a fleet, and which workers had its turns and hooks; empty where it is on none.
 *
 * @param fleet its address; absent or `null`: it is not known, or the run is on none
 */
export function toFleetText({ turns }: Pick<RunView, 'turns'>, fleet: string | null | undefined): string {
  const counts = new Map<string, number>();
  for (const { worker } of turns) if (worker !== null) counts.set(worker, (counts.get(worker) ?? 0) + 1);
  const hooks = new Map<string, number>();
  for (const { worker } of turns.flatMap((turn) => turn.hooks?.runs ?? []))
    if (worker !== undefined) hooks.set(worker, (hooks.get(worker) ?? 0) + 1);
  const rounds = new Map<string, number>();
  for (const { taken } of turns.flatMap((turn) => turn.panel?.rounds ?? []))
    if (taken !== undefined) rounds.set(taken.worker, (rounds.get(taken.worker) ?? 0) + 1);
  const toNames = (of: typeof counts): string =>
    toList(
      [...of].map(([worker, count]) => `${toPlainLine(worker, 60)} (${count})`),
      6,
    );
  const parts = [
    ...(fleet == null ? [] : [`its turns are taken by workers of ${toPlainLine(fleet, 200)}`]),
    ...(counts.size === 0 ? [] : [`turns by worker: ${toNames(counts)}`]),
    ...(rounds.size === 0 ? [] : [`rounds of panels by worker: ${toNames(rounds)}`]),
    ...(hooks.size === 0 ? [] : [`hooks by worker: ${toNames(hooks)}`]),
  ];
  return parts.join('; ');
}

/** Whether a turn of a run on a fleet has not begun on a worker yet; of a panel whose agents spread over workers, whether none of its agents has. */
export function isUntaken(
  { status, worker, panel }: Pick<TurnView, 'status' | 'worker' | 'panel'>,
  fleet: string | null | undefined,
): boolean {
  if (fleet == null || status !== 'running' || worker !== null) return false;
  if (panel === null || panel.rounds.length === 0) return true;
  const open = panel.rounds.filter(({ end }) => end === null);
  return open.length > 0 && open.every(({ taken }) => taken === undefined);
}
