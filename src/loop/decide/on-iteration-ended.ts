import { addUsage } from '../../core/backends/usage.ts';
import { TOPIC_SCOPE_VIOLATION } from '../../core/events/reserved.ts';
import type { RejectionCause } from '../../core/run/effects.ts';
import type { Feedback } from '../../core/run/feedback.ts';
import type { IterationEnded } from '../../core/run/inputs.ts';
import type { Activation, PlannedTurn } from '../../core/run/state.ts';
import { isHopeless, type TurnFailure, type WorkConflict } from '../../core/run/turn.ts';
import type { ScopeViolations, ToolDenial } from '../../core/tools/scope-violations.ts';
import { type Json, readOwn } from '../../core/values/json.ts';
import { hasTurns } from '../../topology/routing/queries.ts';
import { acceptSignals, isNote, mergeChannels, refuseNoted, toSignalTopic } from './accept-signals.ts';
import { planFirst } from './batch.ts';
import { finishTurn, withGiven } from './finish-turn.ts';
import { endQuestions } from './on-asked.ts';
import { releaseTells } from './on-tell-given.ts';
import { proceed } from './proceed.ts';
import { parkOrSwitch, replaceOrPark, retryLater } from './retry.ts';
import { change, notify, order, recordDraft, reject, type Step, tell, toPlace } from './step.ts';

/** A turn ended, in whatever way. */
export function onIterationEnded(step: Step, input: IterationEnded): void {
  const activation = step.state.activations.find((entry) => entry.iteration === input.iteration && entry.attempt === input.attempt);
  if (activation === undefined) return;
  const wasTold = step.state.activations.find(({ hat }) => hat === activation.hat) === activation;
  change(step, { activations: step.state.activations.filter((entry) => entry !== activation), inboxOffset: input.inboxOffset });
  if (activation.copy !== undefined) step.iteration = activation.iteration;
  addCost(step, input);
  endQuestions(step, activation, input.outcome.status);
  tellProblems(step, activation, input);
  refuseNoted(step, activation.hat, input.signals);
  noteViolations(step, activation, input);
  const isPlannedAgain = isPlanned(step, activation, input);
  releaseTells(step, activation, { outcome: input.outcome, isPlannedAgain, wasTold });
  if (!isPlannedAgain) conclude(step, activation, input.conflict === undefined ? input : { ...input, signals: [] });
  proceed(step);
}

function isPlanned(step: Step, activation: Activation, input: IterationEnded): boolean {
  if (input.outcome.status === 'interrupted') return withdraw(step, activation, input);
  if (input.conflict !== undefined) return isGivenAgain(step, activation, input, input.conflict);
  return isTriedAgain(step, activation, input);
}

/**
 * What the turn made is not in the folder, so nothing of what it said is true there: it is recorded and not routed. Its hat gets the same events in a fresh
 * turn; the second time in a row it is a failure like any other.
 */
function isGivenAgain(step: Step, activation: Activation, input: IterationEnded, conflict: WorkConflict): boolean {
  const { hat, feedback, fallback, events } = activation;
  notify(step, 'warning', 'work-conflict', toConflictText(hat, conflict));
  withdrawSignals(step, hat, input, 'conflict');
  if (feedback.some(({ kind }) => kind === 'conflict')) return false;
  countTurn(step, activation, input.outcome.status === 'failed' ? input.outcome.failure : null);
  planAfresh(step, activation, { hat, events, fallback, feedback: [...feedback, { kind: 'conflict', ...conflict }] });
  return true;
}

function toConflictText(hat: string, { paths, total, kept, why }: WorkConflict): string {
  const more = total > NAMED ? ` and ${total - NAMED} more` : '';
  const cause = why ?? `${paths.slice(0, NAMED).join(', ')}${more} changed in the folder meanwhile`;
  return `What ${hat} made was not taken over: ${cause}. It is kept in the folder of the run: ${kept}.`;
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
 * with the same events. It does not count against `max_activations`.
 */
function withdraw(step: Step, activation: Activation, input: IterationEnded): true {
  const { hat, events, feedback, fallback, panel, copy } = activation;
  const { conflict } = input;
  if (conflict !== undefined) notify(step, 'warning', 'work-conflict', toConflictText(hat, conflict));
  const topics = withdrawSignals(step, hat, input, 'withdrawn');
  const lost: readonly Feedback[] = conflict === undefined ? [] : [{ kind: 'conflict', ...conflict }];
  const told = [...feedback, { kind: 'withdrawn' as const, topics }, ...lost];
  const next = hasTurns(step.topology, hat) ? hat : step.topology.fallback;
  // Where it worked is kept under another name.
  const place = copy === undefined || conflict !== undefined ? {} : { copy };
  planAfresh(step, activation, { hat: next, events, feedback: told, fallback, ...place, ...(panel === undefined ? {} : { panel }) });
  return true;
}

/** Records what a turn wrote, and routes nothing of it. */
function withdrawSignals(step: Step, hat: string, input: IterationEnded, why: RejectionCause): readonly string[] {
  const signals = mergeChannels(input.signals).filter((signal) => !isNote(signal));
  const topics = signals.map((signal) => toSignalTopic(step, signal));
  for (const topic of topics) reject(step, hat, topic, why, []);
  return topics;
}

/** A new iteration that comes first, and is no further activation of its hat. */
function planAfresh(step: Step, { hat, place }: Activation, plan: Omit<PlannedTurn, 'retryOf'>): void {
  const counts = step.state.activationCounts;
  planFirst(step, { retryOf: null, ...plan, ...toPlace({ place }) });
  change(step, { activationCounts: { ...counts, [hat]: Math.max(0, (readOwn(counts, hat) ?? 0) - 1) } });
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
  const failure = input.outcome.status === 'failed' ? input.outcome.failure : null;
  countTurn(step, activation, failure);
  const accepted = acceptSignals(step, { hat: activation.hat, failed: failure !== null, finalText: input.finalText }, input.signals);
  finishTurn(step, { activation, input, failure, accepted: { ...accepted, drafts: withGiven(activation, accepted.drafts) } });
}

function countTurn(step: Step, activation: Activation, failure: TurnFailure | null): void {
  const { counters } = step.state;
  const counted = counters.counted + 1;
  change(step, { counters: { ...counters, counted } });
  noteOutcome(step, activation, failure);
  orderCheckpoint(step, counted, activation.iteration);
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

/** How many paths are named to people and to the hat. */
const NAMED = 8;

/**
 * Tells people which uses of tools were stopped, and people and the hat that a hat which may not write has written. The latter is also recorded, as an event
 * of the hat's that nobody gets.
 */
function noteViolations(step: Step, activation: Activation, input: IterationEnded): void {
  const { hat } = activation;
  if (input.denials !== undefined) notify(step, 'info', 'tool-denied', `${hat}: ${toDenialText(input.denials, input.denied)}`);
  const { violations } = input;
  if (violations === undefined) return;
  if (violations.between !== undefined) notify(step, 'warning', 'tree-between', toBetweenText(hat, violations.between));
  const isUnseen = violations.isUnseen === true;
  const { trusted = [] } = violations;
  if (violations.total === 0) for (const note of violations.notes) notify(step, 'warning', 'tree-unseen', `${hat} may not write. ${note}`);
  if (violations.total === 0 && !isUnseen && trusted.length === 0) return;
  const paths = violations.changes.map((change) => change.path);
  // A turn whose changes cannot be seen is not taken for a good one: an agent could else break git to hide them.
  recordDraft(step, { topic: `${hat}.${TOPIC_SCOPE_VIOLATION}`, payload: toViolationPayload(violations), source: hat }, 'record');
  if (trusted.length > 0) {
    notify(step, 'warning', 'trusted-changed', toTrustedText(hat, trusted));
    tell(step, hat, { kind: 'trusted-changed', paths: trusted.slice(0, NAMED) });
  }
  if (violations.total === 0 && !isUnseen) return;
  if (violations.total > 0) notify(step, 'warning', 'tree-changed', toChangedText(hat, paths, violations));
  tell(step, hat, { kind: 'tree-changed', paths: paths.slice(0, NAMED), total: violations.total, reverted: violations.reverted });
}

function toBetweenText(hat: string, { paths, total }: NonNullable<ScopeViolations['between']>): string {
  const named = paths.slice(0, NAMED);
  const more = total > named.length ? ` and ${total - named.length} more` : '';
  return `changed between turns, before ${hat} began: ${named.join(', ')}${more}. It was a person, a gate, or a process that an earlier turn left.`;
}

function toTrustedText(hat: string, paths: readonly string[]): string {
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  return `${hat} changed what Ralph itself runs or believes: ${paths.slice(0, NAMED).join(', ')}${more}. Files were put back; programs for git are not run, and later runs do not run them until you confirm them (the next one says how; look: git config --show-origin --list)`;
}

function toViolationPayload({ changes, total, diffFile, reverted, notes, isUnseen, trusted }: ScopeViolations): Json {
  const shown = changes.map(({ path, what }) => ({ path, what }));
  return {
    changes: shown,
    total,
    diff: diffFile,
    reverted,
    notes,
    ...(isUnseen === true ? { unseen: true } : {}),
    ...(trusted === undefined ? {} : { trusted }),
  };
}

function toChangedText(hat: string, paths: readonly string[], { total, reverted, notes }: ScopeViolations): string {
  const more = total > NAMED ? ` and ${total - NAMED} more` : '';
  const fate = reverted === null ? 'They stand' : `${reverted} of ${total} taken back`;
  const left = notes.length === 0 ? '' : ` (${notes.slice(0, 3).join('; ')})`;
  return `${hat} may not write, and changed ${paths.slice(0, NAMED).join(', ')}${more}. ${fate}${left}.`;
}

/** `2 uses of tools were stopped: Write by the rules of its CLI, Bash by the operating system`. */
function toDenialText(denials: readonly ToolDenial[], count = denials.length): string {
  const what = [...new Set(denials.map(({ tool, layer }) => `${tool} by ${LAYERS[layer]}`))];
  return `${count === 1 ? 'one use of a tool was' : `${count} uses of tools were`} stopped: ${what.slice(0, NAMED).join(', ')}`;
}

const LAYERS: Readonly<Record<ToolDenial['layer'], string>> = {
  flags: 'the rules of its CLI',
  os: 'the operating system',
  profile: 'its profile',
  hook: 'a hook',
  permissions: 'its permissions',
};
