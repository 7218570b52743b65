import { EXTERNAL, TOPIC_CONTINUE, TOPIC_RESUME } from '../../core/events/reserved.ts';
import type { EndReason } from '../../core/run/end-reasons.ts';
import type { ReadPlaces, RunResumed } from '../../core/run/inputs.ts';
import type { GateWait, PendingEvent, PlannedTurn } from '../../core/run/state.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { isCount } from '../../core/values/json.ts';
import { hasTurns, safetyNetOf, takersOf } from '../../topology/routing/queries.ts';
import { gatesOnBegin } from './baseline.ts';
import { hearPeople } from './hear-people.ts';
import { leaveTurns, repeatDeadlines } from './on-asked.ts';
import { gatesOn, gatesOnCompletion, orderGates } from './publish.ts';
import { change, deliver, goOn, type LoopStep, notify, order, setTimer, startClock } from './step.ts';

/** Ends into which a person has looked before resuming: what led to them is forgotten. */
const LOOKED_INTO: readonly EndReason[] = ['stalled', 'loop_detected', 'consecutive_failures', 'gate_refused'];

/**
 * The run goes on, in a new process. Every order without an answer is given again, except an agent's turn: the caller ends that one as
 * interrupted, right after this input and not before it (the dead time would count as running time, and a stop that was under way would be
 * carried out); then its hat runs again in a new iteration.
 */
export function onRunResumed(step: LoopStep, input: RunResumed): void {
  forgiveEnd(step);
  change(step, { limits: { ...(input.spec?.limits ?? step.state.limits), ...input.limits }, status: 'running', end: null, stopping: null });
  if (input.spec !== undefined) redirectWaiting(step);
  readOnHere(step, input);
  leaveTurns(step);
  stopDeadClock(step);
  startClock(step);
  repeatOrders(step);
  publishHeard(step, input);
  if (isIdle(step)) resumeFallback(step);
  // No turn is added to those of the dead process.
  if (step.state.activations.length === 0) goOn(step);
}

/** What was read so far was read of other files. A journal may come from another machine: what is no place in a file changes nothing. */
function readOnHere(step: LoopStep, { moved }: RunResumed): void {
  const { inboxOffset, outsideOffset } = (moved ?? {}) as Partial<ReadPlaces>;
  if (isCount(inboxOffset)) change(step, { inboxOffset });
  if (isCount(outsideOffset)) change(step, { outsideOffset });
}

/** Puts what people said first: what a limit cut off, and what they published while nobody was at work. */
function publishHeard(step: LoopStep, { external }: RunResumed): void {
  if (external !== undefined) {
    change(step, { outsideOffset: external.outsideOffset });
    hearPeople(step, external);
  }
  const { pending } = step.state;
  const isHeard = ({ event }: PendingEvent): boolean => event.source === EXTERNAL;
  if (pending.some(isHeard)) change(step, { pending: [...pending.filter(isHeard), ...pending.filter((entry) => !isHeard(entry))] });
}

/** A process that died could not stop the clock: it ran until the last thing that is known of it. */
function stopDeadClock(step: LoopStep): void {
  const { runningSince, elapsedMs, at } = step.state;
  const ranMs = runningSince === null ? 0 : Math.max(0, at - runningSince);
  change(step, {
    runningSince: null,
    elapsedMs: elapsedMs + ranMs,
    timers: step.state.timers.filter((timer) => timer.purpose !== 'runtime'),
  });
}

function forgiveEnd(step: LoopStep): void {
  const { end } = step.state;
  if (end === null || !LOOKED_INTO.includes(end.reason)) return;
  change(step, {
    consecutiveFailures: 0,
    idleFallbacks: 0,
    gateRefusals: 0,
    heldByHooks: null,
    gateStreaks: {},
    footprints: [],
    refusals: {},
  });
}

/**
 * Orders whose answer is missing. Only the wait for a retry goes on: who resumes a parked run wants it tried now, and a new process need not wait out a
 * cooldown.
 */
function repeatOrders(step: LoopStep): void {
  const waits = step.state.timers.filter((timer) => timer.purpose === 'retry' && timer.dueAt > step.at);
  change(step, { timers: step.state.timers.filter((timer) => timer.purpose === 'runtime') });
  // The clock of another machine, or one that was put back, may be behind the one by which the pause was measured.
  const behindMs = Math.max(0, step.state.at - step.at);
  for (const wait of waits) {
    const dueAt = wait.dueAt - behindMs;
    setTimer(step, dueAt, wait.purpose);
    notify(step, 'info', 'transient-error', `The pause before the next attempt goes on for ${toDurationText(dueAt - step.at)}.`);
  }
  repeatDeadlines(step);
  if (step.state.checkpointing !== null) order(step, { type: 'checkpoint-make', iteration: step.state.checkpointing });
  for (const wait of step.state.gateWaits) if (wait.isHeld !== true) orderGates(step, wait);
}

/** `task.resume` is published only if nothing was interrupted and nothing is pending. */
function isIdle(step: LoopStep): boolean {
  const { activations, plans, pending, gateWaits } = step.state;
  return [activations, plans, pending, gateWaits].every((list) => list.length === 0);
}

function resumeFallback(step: LoopStep): void {
  const { topology } = step;
  const topic = topology.classic ? TOPIC_CONTINUE : TOPIC_RESUME;
  deliver(step, { topic, payload: '', to: [topology.fallback], how: 'fallback' });
}

/** Under a changed configuration what waits for a hat that is gone goes to who takes it now, else to Ralph; what waits for gates waits for the new ones. */
function redirectWaiting(step: LoopStep): void {
  const { topology, state } = step;
  const known = (hat: string): boolean => hasTurns(topology, hat);
  const gatesOf = ({ hat, completion, drafts, isBaseline }: GateWait): readonly number[] => {
    if (isBaseline === true) return gatesOnBegin(step);
    const topics = drafts.map((draft) => draft.topic);
    return completion === null ? gatesOn(step, hat, topics) : gatesOnCompletion(step, hat, drafts);
  };
  // Which gates were asked is known by their places in the list, which may be others now.
  change(step, { askedGates: [] });
  change(step, {
    pending: state.pending.map((entry) =>
      known(entry.hat) ? entry : { ...entry, hat: takersOf(topology, entry.event.topic)[0] ?? safetyNetOf(topology) },
    ),
    plans: state.plans.map((plan): PlannedTurn => {
      const { kept } = plan;
      const next = kept === undefined ? plan : { ...plan, kept: { ...kept, backend: null } };
      return known(plan.hat) ? next : { ...next, hat: topology.fallback, retryOf: null };
    }),
    // The conversations of another configuration are not gone on with.
    activations: state.activations.map((turn) =>
      turn.told === undefined ? turn : { ...turn, told: turn.told.map(({ tell }) => ({ tell, isKept: false })) },
    ),
    gateWaits: state.gateWaits.map((wait) => (wait.hooks === undefined ? { ...wait, gates: gatesOf(wait) } : wait)),
    backendOf: {},
  });
}
