import { type Activation, addUsage, type IterationEnded, isHopeless, type TurnFailure } from '../../core/index.ts';
import { hasTurns } from '../../topology/index.ts';
import { acceptSignals, isNote, mergeChannels, refuseNoted, reject, toSignalTopic } from './accept-signals.ts';
import { finishTurn } from './finish-turn.ts';
import { noteViolations } from './note-violations.ts';
import { parkOrSwitch, replaceOrPark } from './park.ts';
import { proceed } from './proceed.ts';
import { retryLater } from './retry.ts';
import { change, notify, order, readEntry, type Step, tell } from './step.ts';

/** A turn ended, in whatever way. */
export function onIterationEnded(step: Step, input: IterationEnded): void {
  const activation = step.state.activations.find((entry) => entry.iteration === input.iteration && entry.attempt === input.attempt);
  if (activation === undefined) return;
  change(step, { activations: step.state.activations.filter((entry) => entry !== activation), inboxOffset: input.inboxOffset });
  addCost(step, input);
  tellProblems(step, activation, input);
  refuseNoted(step, activation.hat, input.signals);
  noteViolations(step, activation, input);
  if (input.outcome.status === 'interrupted') withdraw(step, activation, input);
  else if (!isTriedAgain(step, activation, input)) conclude(step, activation, input);
  proceed(step);
}

function addCost(step: Step, input: IterationEnded): void {
  const unknown = input.usage.costUsd === null && input.outcome.status !== 'interrupted' ? 1 : 0;
  change(step, { usage: addUsage(step.state.usage, input.usage), unknownCostTurns: step.state.unknownCostTurns + unknown });
}

function tellProblems(step: Step, activation: Activation, input: IterationEnded): void {
  for (const problem of input.problems.slice(0, 20)) {
    notify(step, 'warning', 'unreadable-signal', `${problem.where}: ${problem.message}`);
    tell(step, activation.hat, { kind: 'malformed', where: problem.where, message: problem.message, excerpt: problem.excerpt });
  }
}

/**
 * An interrupted turn: what it already wrote is recorded and not routed, and the hat will run again, in a new iteration,
 * with the same events (decisions, section 1). It does not count against `max_activations`.
 */
function withdraw(step: Step, activation: Activation, input: IterationEnded): void {
  const { hat, events, feedback, fallback } = activation;
  const topics: string[] = [];
  for (const signal of mergeChannels(input.signals)) {
    if (isNote(signal)) continue;
    const topic = toSignalTopic(step, signal);
    topics.push(topic);
    reject(step, hat, topic, 'withdrawn', []);
  }
  const told = [...feedback, { kind: 'withdrawn' as const, topics }];
  const counts = step.state.activationCounts;
  const next = hasTurns(step.topology, hat) ? hat : step.topology.fallback;
  change(step, {
    plans: [{ retryOf: null, hat: next, events, feedback: told, fallback }, ...step.state.plans],
    activationCounts: { ...counts, [hat]: Math.max(0, (readEntry(counts, hat) ?? 0) - 1) },
  });
}

/**
 * Transient errors, usage limits, refused keys and missing programs say nothing about the work: the same iteration gets another attempt, now, later, by
 * another agent, or once a person has helped.
 */
function isTriedAgain(step: Step, activation: Activation, input: IterationEnded): boolean {
  if (input.outcome.status !== 'failed' || !input.signals.every(isNote)) return false;
  const { failure } = input.outcome;
  if (failure.class === 'transient') return failure.wasRetried !== true && retryLater(step, activation, failure);
  if (failure.class === 'limit') return parkOrSwitch(step, activation, failure);
  return (failure.class === 'spawn' || isHopeless(failure.class)) && replaceOrPark(step, activation, failure);
}

/** A turn of the work: it counts, whatever came of it. */
function conclude(step: Step, activation: Activation, input: IterationEnded): void {
  const { counters } = step.state;
  const counted = counters.counted + 1;
  const failure = input.outcome.status === 'failed' ? input.outcome.failure : null;
  change(step, { counters: { ...counters, counted } });
  noteOutcome(step, activation, failure);
  orderCheckpoint(step, counted, activation.iteration);
  const accepted = acceptSignals(step, { hat: activation.hat, failed: failure !== null, finalText: input.finalText }, input.signals);
  finishTurn(step, { activation, input, failure, accepted });
}

/** A transient error is a failure of the work only when all attempts are used; a usage limit never is. */
function noteOutcome(step: Step, activation: Activation, failure: TurnFailure | null): void {
  const { state } = step;
  if (failure === null) return change(step, { consecutiveFailures: 0, turnsSucceeded: state.turnsSucceeded + 1 });
  const isLast = failure.wasRetried === true || activation.attempt >= step.topology.spec.retry.maxAttempts;
  const ofTheWork = failure.class === 'transient' ? isLast : failure.class !== 'limit';
  change(step, {
    consecutiveFailures: state.consecutiveFailures + (ofTheWork ? 1 : 0),
    lastFailure: failure,
    turnsFailed: state.turnsFailed + 1,
  });
}

function orderCheckpoint(step: Step, counted: number, iteration: number): void {
  const { checkpointInterval } = step.state.limits;
  if (checkpointInterval <= 0 || counted % checkpointInterval !== 0) return;
  change(step, { checkpointing: iteration });
  order(step, { type: 'checkpoint-make', iteration });
}
