import type { RalphEvent } from '../../core/events/event.ts';
import { EXTERNAL } from '../../core/events/reserved.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { PanelState } from '../../core/run/panel-state.ts';
import type { Activation, PendingEvent, PlannedTurn } from '../../core/run/state.ts';
import { type TurnId, toTurnName } from '../../core/run/turn.ts';
import { readOwn } from '../../core/values/json.ts';
import { openPanel } from '../../panel/decide/panel-step.ts';
import { isInCopies, placesOf } from './batch.ts';
import { change, count, type LoopStep, notify, order, takeFeedback, toTurnPlace, wearerOf } from './step.ts';

/**
 * Starts a turn.
 *
 * @param isApart whether others work at the same time
 */
export function startTurn(step: LoopStep, plan: PlannedTurn, isApart: boolean): void {
  const { hat, events, fallback } = plan;
  const feedback = [...plan.feedback, ...takeFeedback(step, hat)];
  const { iteration, attempt }: TurnId =
    plan.retryOf === null
      ? { iteration: count(step, 'iteration'), attempt: 1 }
      : { iteration: plan.retryOf.iteration, attempt: plan.retryOf.attempt + 1 };
  const backend = backendOf(step, hat);
  const counts = step.state.activationCounts;
  // Written out, not spread: what follows a spread is set one by one, and this is done at every turn that is read back.
  const fresh = { iteration, attempt, hat, backend, events, feedback, fallback, startedAt: step.at, pid: null, processStart: null };
  // What was planned for a copy may be for a hat that works in the folder itself, by a configuration that is newer.
  const copy = isInCopies(step, hat) ? (plan.copy ?? (isApart ? toTurnName({ iteration, attempt }) : undefined)) : undefined;
  const place = placesOf(step, hat) > 1 ? { place: plan.place ?? iteration } : {};
  const placed: Activation = copy === undefined ? fresh : { ...fresh, copy, ...place };
  const told: Activation = plan.kept === undefined ? placed : { ...placed, told: plan.kept.tells };
  const spec = step.topology.hatById.get(hat)?.panel;
  const turn = spec === undefined ? told : { ...told, panel: openTurnPanel(step, spec, plan.panel) };
  change(step, {
    activations: [...step.state.activations, turn],
    activationCounts: plan.retryOf === null ? { ...counts, [hat]: (readOwn(counts, hat) ?? 0) + 1 } : counts,
  });
  orderTurn(step, turn);
}

function orderTurn(step: LoopStep, turn: Activation, isAgain = false): void {
  const { iteration, attempt, hat, backend, events, feedback, fallback, panel, copy } = turn;
  const { timeoutMs, idleTimeoutMs } = wearerOf(step, hat);
  const place = { ...(copy === undefined ? {} : { copy }), ...toTurnPlace(turn) };
  const limits = { timeoutMs, idleTimeoutMs, ...place, ...(panel === undefined ? {} : { panel }), ...(isAgain ? { isAgain } : {}) };
  order(step, { type: 'iteration-start', iteration, attempt, hat, backend, events, feedback, fallback, ...limits });
}

/** The panel of a turn that begins: that of the turn which it takes up, where its agents are the same. */
function openTurnPanel(step: LoopStep, spec: PanelSpec, kept: PanelState | undefined): PanelState {
  const panel = openPanel(spec, kept);
  if (kept !== undefined && kept.answers.length > panel.answers.length) {
    const words = 'The agents of this panel are others now, or stand in another order: it begins anew, without what was handed in before.';
    notify(step, 'warning', 'panel-changed', words);
  }
  return panel;
}

/** Which backend of a hat's list takes its turns now, by place. */
export function backendOf(step: LoopStep, hat: string): number {
  return readOwn(step.state.backendOf, hat) ?? 0;
}

/** A turn that was planned before also gets what people have said to its hat since. */
export function withHeard(step: LoopStep, plan: PlannedTurn): PlannedTurn {
  const events = takeHeard(step, plan);
  return events === plan.events ? plan : { ...plan, events };
}

/** Takes what people have for a hat out of the queue, and adds what the turn does not have yet: it may have stood in for another taker of the same event. */
function takeHeard(step: LoopStep, { hat, events }: Pick<PlannedTurn, 'hat' | 'events'>): readonly RalphEvent[] {
  // One that takes an event at a time is given no other one: what people told is none.
  const isOwn = ({ event }: PendingEvent): boolean => !takesOne(step, hat) || event.told !== undefined;
  const isTaken = (entry: PendingEvent): boolean => entry.hat === hat && entry.event.source === EXTERNAL && isOwn(entry);
  const taken = step.state.pending.filter(isTaken);
  if (taken.length === 0) return events;
  change(step, { pending: step.state.pending.filter((entry) => !isTaken(entry)) });
  return eachOnce([...events, ...taken.map(({ event }) => event)]);
}

/** Gives the turn that is about to begin what people have for its hat, and orders it again: its prompt is not written yet. */
export function joinOpening(step: LoopStep, { iteration, attempt }: TurnId): void {
  const opening = step.state.activations.find((entry) => entry.iteration === iteration && entry.attempt === attempt);
  if (opening === undefined) return;
  const events = takeHeard(step, opening);
  if (events.length === opening.events.length) return;
  const joined = { ...opening, events };
  change(step, { activations: step.state.activations.map((entry) => (entry === opening ? joined : entry)) });
  orderTurn(step, joined, true);
}

export function takesOne({ topology }: LoopStep, hat: string): boolean {
  return topology.hatById.get(hat)?.takes === 'one';
}

/** Each event once. */
export function eachOnce(events: readonly RalphEvent[]): readonly RalphEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}
