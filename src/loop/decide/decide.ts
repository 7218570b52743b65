import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { Effect } from '../../core/run/effects.ts';
import type { Input } from '../../core/run/inputs.ts';
import type { RunState } from '../../core/run/state.ts';
import { RalphError } from '../../core/values/errors.ts';
import { type Handlers, handle } from '../../core/values/handlers.ts';
import { compileTopology, type Topology } from '../../topology/routing/compile-topology.ts';
import { onAnswered } from './on-answered.ts';
import { onAsked } from './on-asked.ts';
import { onCheckpointFinished } from './on-checkpoint-finished.ts';
import { onEnvironmentFailed } from './on-environment-failed.ts';
import { onEventsReceived } from './on-events-received.ts';
import { onGatesFinished } from './on-gates-finished.ts';
import { onHooksAnswered } from './on-hooks-answered.ts';
import { onIterationEnded } from './on-iteration-ended.ts';
import { onIterationSpawned } from './on-iteration-spawned.ts';
import { onPanelMoved } from './on-panel-moved.ts';
import { onRunResumed } from './on-run-resumed.ts';
import { onRunStarted } from './on-run-started.ts';
import { onStopRequested } from './on-stop-requested.ts';
import { onTellGiven } from './on-tell-given.ts';
import { onTimerFired } from './on-timer-fired.ts';
import { onTold } from './on-told.ts';
import { onUsageReported } from './on-usage-reported.ts';
import { proceed } from './proceed.ts';
import { change, type LoopStep } from './step.ts';

export interface Decision {
  readonly state: RunState;
  readonly effects: readonly Effect[];
}

/**
 * Decides what follows from an input: `(topology, state, input) -> [state, effects]`.
 *
 * Pure and total: it never throws, never changes what it was given, reads no clock, no random, no file. The same
 * arguments give the same decision, byte for byte, so a run is the fold of its journal. After `run-end` nothing follows
 * until `run-resumed`; only that a checkpoint was finished, and what people said too late, is still noted.
 *
 * @param topology compiled from the specification that the latest `run-started` or `run-resumed` carried
 */
export function decide(topology: Topology, state: RunState, input: Input): Decision {
  const step: LoopStep = { topology, at: input.at, iteration: null, state, isCopied: false, goesOn: false, effects: [] };
  if (mayHappen(state, input)) handle(HANDLERS, input, step);
  if (step.goesOn) proceed(step);
  change(step, { at: input.at });
  return { state: step.state, effects: step.effects };
}

/** An input out of its time (a first input that comes twice, anything after the end) changes nothing. */
function mayHappen(state: RunState, input: Input): boolean {
  if (state.status === 'new') return input.type === 'run-started';
  if (input.type === 'run-started') return false;
  if (state.status !== 'ended' || input.type === 'run-resumed' || input.type === 'checkpoint-finished') return true;
  // Nobody will resume a run that is complete, so what people said too late is noted; after any other end it waits in their file.
  return LATE_WORDS.has(input.type) && state.end?.reason === 'completed';
}

const LATE_WORDS: ReadonlySet<Input['type']> = new Set(['events-received', 'told', 'answered']);

const HANDLERS: Handlers<Input, [step: LoopStep]> = {
  'run-started': onRunStarted,
  'run-resumed': onRunResumed,
  'iteration-spawned': onIterationSpawned,
  'usage-reported': onUsageReported,
  'iteration-ended': onIterationEnded,
  'events-received': onEventsReceived,
  told: onTold,
  'tell-given': onTellGiven,
  asked: onAsked,
  answered: onAnswered,
  'gates-finished': onGatesFinished,
  'hooks-answered': onHooksAnswered,
  'timer-fired': onTimerFired,
  'checkpoint-finished': onCheckpointFinished,
  'stop-requested': onStopRequested,
  'panel-moved': onPanelMoved,
  'environment-failed': onEnvironmentFailed,
};

/** The state before the first input. */
export const INITIAL_STATE: RunState = {
  version: 1,
  status: 'new',
  runId: '',
  limits: { maxIterations: 0, maxRuntimeMs: 0, maxCostUsd: null, maxConsecutiveFailures: 0, checkpointInterval: 0, cooldownMs: 0 },
  startedAt: 0,
  at: 0,
  elapsedMs: 0,
  runningSince: null,
  inboxOffset: 0,
  outsideOffset: 0,
  steeringOffset: 0,
  tells: [],
  heardIds: [],
  questions: [],
  counters: { event: 0, iteration: 0, request: 0, timer: 0, question: 0, counted: 0 },
  pending: [],
  activations: [],
  plans: [],
  gateWaits: [],
  timers: [],
  checkpointing: null,
  cooled: 0,
  lastHat: null,
  activationCounts: {},
  feedback: {},
  seenRequired: [],
  footprints: [],
  consecutiveFailures: 0,
  lastFailure: null,
  idleFallbacks: 0,
  refusals: {},
  gateRefusals: 0,
  heldByHooks: null,
  gateStreaks: {},
  askedGates: [],
  backendOf: {},
  usage: UNKNOWN_USAGE,
  unknownCostTurns: 0,
  turnsSucceeded: 0,
  turnsFailed: 0,
  stopping: null,
  end: null,
};

export interface FoldedRun {
  readonly topology: Topology;
  readonly state: RunState;
  readonly entries: number;
}

/** Folds inputs one at a time, as they come. */
export interface JournalFold {
  /** Decides one entry and returns what followed from it. */
  readonly take: (entry: { readonly seq: number; readonly input: Input }) => readonly Effect[];
  /** The run so far; throws a `RalphError` when there is none yet. */
  readonly run: () => FoldedRun;
}

/** A fold that performs nothing: for resuming, and for every view of a run. */
export function createJournalFold(): JournalFold {
  let topology: Topology | null = null;
  let state: RunState = INITIAL_STATE;
  let entries = 0;
  return {
    take: ({ input }) => {
      topology = toTopology(input) ?? topology;
      if (topology === null) throw emptyJournal();
      const decision = decide(topology, state, input);
      state = decision.state;
      entries += 1;
      return decision.effects;
    },
    run: () => {
      if (topology === null) throw emptyJournal();
      return { topology, state, entries };
    },
  };
}

/** The topology that an input brings; `null` for most. */
export function toTopology(input: Input): Topology | null {
  if (input.type !== 'run-started' && input.type !== 'run-resumed') return null;
  return input.spec === undefined ? null : compileTopology(input.spec);
}

function emptyJournal(): RalphError {
  return new RalphError({
    code: 'journal-empty',
    what: 'The journal of this run does not begin with its start.',
    why: 'Without the first input nothing can be told of the run or resumed.',
    fix: 'Start a new run with `ralph run`; the damaged journal is kept beside it.',
  });
}
