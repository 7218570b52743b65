import type { RalphEvent } from '../../core/events/event.ts';
import type { PendingEvent, PlannedTurn, RunState } from '../../core/run/state.ts';
import { readOwn } from '../../core/values/json.ts';
import { change, type LoopStep } from './step.ts';

/** Turns that run at the same time: of several hats under `event_loop.parallel`, else several of one hat. */
type Batch = Pick<RunState, 'batch' | 'batchHat'>;

/** Finds what could begin at the same time, the next turn among it; `null` where that is alone or may not share. */
export function planBatch(step: LoopStep): Batch | null {
  const { plans, pending, counters } = step.state;
  const [again] = plans;
  const first = again?.hat ?? pending[0]?.hat;
  if (first === undefined || !(again === undefined ? mayShare(step, first) : maySharePlan(step, again))) return null;
  // What is published meanwhile does not join what is tried again.
  const batch = plans.length === 0 ? counters.event : Math.max(...plans.flatMap(({ events }) => events.map(numberOf)));
  const planned: Batch = hatsShare(step) ? { batch } : { batch, batchHat: first };
  const turns = new Map<string, number>();
  const add = (hat: string, count: number): void => void turns.set(hat, (turns.get(hat) ?? 0) + count);
  for (const plan of plans) if (belongs(planned, plan.hat) && maySharePlan(step, plan)) add(plan.hat, 1);
  for (const { hat, event } of pending)
    if (numberOf(event) <= batch && belongs(planned, hat) && mayShare(step, hat)) add(hat, event.told === undefined ? 1 : 0);
  // What people told is a turn of its own only where nothing else waits for the hat.
  const places = [...turns].reduce((sum, [hat, count]) => sum + Math.min(Math.max(count, 1), placesOf(step, hat)), 0);
  return places < 2 ? null : planned;
}

export function closeBatch(step: LoopStep): void {
  change(step, (step.state.batchHat ?? null) === null ? { batch: null } : { batch: null, batchHat: null });
}

/** The next turn among those that run at the same time: one that is tried again, or the event that waits for one; `null` where none may begin now. */
export function findNext(step: LoopStep): PlannedTurn | PendingEvent | null {
  const { activations, counters, limits, plans, pending, timers, batch } = step.state;
  if (activations.length >= countPlaces(step)) return null;
  if (counters.counted + activations.length >= limits.maxIterations) return null;
  const isFree = (hat: string): boolean =>
    belongs(step.state, hat) && activations.filter((turn) => turn.hat === hat).length < placesOf(step, hat);
  // Which plan waits for its next try is not known: none of them begins before it.
  const isWaiting = timers.some(({ purpose }) => purpose === 'retry');
  const plan = isWaiting ? undefined : plans.find((entry) => isFree(entry.hat) && maySharePlan(step, entry));
  if (plan !== undefined) return plan;
  return pending.find(({ hat, event }) => isFree(hat) && mayShare(step, hat) && numberOf(event) <= (batch ?? 0)) ?? null;
}

/** Whether what is to be tried again may run while others do. Another attempt is none of the activations that are counted. */
export function maySharePlan(step: LoopStep, { hat, retryOf }: PlannedTurn): boolean {
  if (!belongs(step.state, hat)) return false;
  return retryOf === null ? mayShare(step, hat) : isInCopies(step, hat);
}

/** Whether a hat may work while others do. Ralph looks at the work of all. */
function mayShare(step: LoopStep, hat: string): boolean {
  return isInCopies(step, hat) && !isExhausted(step, hat);
}

/** Whether a turn of the hat works in a copy where others work at the same time. */
export function isInCopies(step: LoopStep, hat: string): boolean {
  const known = step.topology.hatById.get(hat);
  return known !== undefined && known.alone !== true && (hatsShare(step) || placesOf(step, hat) > 1);
}

/** True if the hat has had all its activations. Ralph has no such limit. */
export function isExhausted(step: LoopStep, hat: string): boolean {
  const limit = step.topology.hatById.get(hat)?.maxActivations ?? null;
  return limit !== null && (readOwn(step.state.activationCounts, hat) ?? 0) >= limit;
}

function hatsShare({ topology }: LoopStep): boolean {
  return (topology.spec.maxParallel ?? 1) > 1;
}

function countPlaces(step: LoopStep): number {
  const { batchHat = null } = step.state;
  return hatsShare(step) || batchHat === null ? (step.topology.spec.maxParallel ?? 1) : placesOf(step, batchHat);
}

/** How many turns of the hat may run at the same time. */
export function placesOf({ topology }: LoopStep, hat: string): number {
  return topology.hatById.get(hat)?.parallel ?? 1;
}

function belongs({ batchHat = null }: Batch, hat: string): boolean {
  return batchHat === null || batchHat === hat;
}

function numberOf({ id }: RalphEvent): number {
  return Number(id.slice(1));
}

/** Adds what is to be tried again: before all others, but for turns of its own hat whose events are older. */
export function planFirst(step: LoopStep, plan: PlannedTurn): void {
  const { place } = plan;
  const isBefore = (entry: PlannedTurn): boolean =>
    place !== undefined && entry.hat === plan.hat && entry.place !== undefined && entry.place < place;
  const { plans } = step.state;
  const at = plans.findLastIndex(isBefore) + 1;
  change(step, { plans: [...plans.slice(0, at), plan, ...plans.slice(at)] });
}
