import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { EventSignal, PromiseSignal, Signal, TransitionSignal } from '../../core/events/event.ts';
import type { GateResult } from '../../core/gates/gate-result.ts';
import type { Effect, IterationStart } from '../../core/run/effects.ts';
import type { Input, RunResumed, TurnReport } from '../../core/run/inputs.ts';
import type { RunSpec } from '../../core/run/run-spec.ts';
import type { RunState } from '../../core/run/state.ts';
import type { TurnFailure } from '../../core/run/turn.ts';
import { makeSpec } from '../../core/spec-fixtures.ts';
import type { Json } from '../../core/values/json.ts';
import { compileTopology, type Topology } from '../../topology/routing/compile-topology.ts';
import { decide, INITIAL_STATE } from './decide.ts';

/** When every played run begins, in epoch ms. */
export const BEGIN = 1_000_000;

/** An input that gets its time from the play. */
export type Happening = Input extends infer One ? (One extends Input ? Omit<One, 'at'> : never) : never;

type EffectOf<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

/** A run that a test plays: it says what happens, and looks at what was decided. */
export interface Play {
  readonly topology: () => Topology;
  readonly state: () => RunState;
  readonly now: () => number;
  readonly pass: (ms: number) => void;
  /** Something happens; returns what follows from it at once. */
  readonly post: (happening: Happening) => readonly Effect[];
  /** All effects so far, of one type. */
  readonly all: <Type extends Effect['type']>(type: Type) => readonly EffectOf<Type>[];
  /** The last effect of one type; fails where there is none. */
  readonly last: <Type extends Effect['type']>(type: Type) => EffectOf<Type>;
  /** The turn that runs; fails where none does. */
  readonly turn: () => IterationStart;
  /** The running turn of a hat ends, where several run; well, unless the report says otherwise. */
  readonly endOf: (hat: string, signals?: readonly Signal[], report?: Partial<TurnReport>) => readonly Effect[];
  /** The running turn ends; well, unless the report says otherwise. */
  readonly end: (signals?: readonly Signal[], report?: Partial<TurnReport>) => readonly Effect[];
  /** The running turn fails. */
  readonly fail: (failure?: Partial<TurnFailure>, signals?: readonly Signal[]) => readonly Effect[];
  /** The running turn is interrupted, as it was asked to be. */
  readonly interrupt: (signals?: readonly Signal[]) => readonly Effect[];
  /** The gates asked last give their verdict, by their index. */
  readonly judge: (isPassed: (gate: number) => boolean) => readonly Effect[];
  /** Time goes by until the next timer, the run's own limit aside, goes off. */
  readonly ring: () => readonly Effect[];
  /** A new process goes on with the run: what a dead one left running ends as interrupted. */
  readonly resume: (changes?: Omit<RunResumed, 'type' | 'at'>, signals?: readonly Signal[]) => readonly Effect[];
}

const REPORT: TurnReport = {
  outcome: { status: 'succeeded' },
  signals: [],
  problems: [],
  exitCode: 0,
  durationMs: 1000,
  producedOutput: true,
  usage: UNKNOWN_USAGE,
  sessionId: null,
  finalText: '',
  toolCalls: null,
  treeChanged: null,
  leftovers: 0,
};

/** One decision of a play, for those who watch. */
export interface Decided {
  readonly before: RunState;
  readonly input: Input;
  readonly after: RunState;
  readonly effects: readonly Effect[];
}

/** Starts a run. Every decision of a play is held against the laws: see {@link decideUnderLaws}. */
export function play(parts: Parameters<typeof makeSpec>[0] = {}, watch: (decided: Decided) => void = () => undefined): Play {
  const spec = makeSpec(parts);
  const effects: Effect[] = [];
  let topology = freeze(compileTopology(spec));
  let state = INITIAL_STATE;
  let at = BEGIN;

  const post: Play['post'] = (happening) => {
    const input = freeze({ ...happening, at } as Input);
    if (input.type === 'run-resumed' && input.spec !== undefined) topology = freeze(compileTopology(input.spec));
    const decision = decideUnderLaws(topology, state, input);
    const before = state;
    state = decision.state;
    effects.push(...decision.effects);
    watch({ before, input, after: state, effects: decision.effects });
    return decision.effects;
  };
  const all: Play['all'] = (type) => effects.filter((effect): effect is EffectOf<typeof type> => effect.type === type);
  const last: Play['last'] = (type) => must(all(type).at(-1), `there is no ${type}`);
  const turn = (): IterationStart => {
    const { iteration, attempt } = must(state.activations[0], 'no turn runs');
    return must(
      all('iteration-start').findLast((start) => start.iteration === iteration && start.attempt === attempt),
      'the turn was never started',
    );
  };
  const endOf: Play['endOf'] = (hat, signals = [], report = {}) => {
    const { iteration, attempt } = must(
      state.activations.find((entry) => entry.hat === hat),
      `no turn of ${hat} runs`,
    );
    return post({ type: 'iteration-ended', iteration, attempt, ...REPORT, signals, inboxOffset: state.inboxOffset, ...report });
  };
  const end: Play['end'] = (signals, report) => endOf(turn().hat, signals, report);
  const interrupt: Play['interrupt'] = (signals = []) => end(signals, { outcome: { status: 'interrupted' }, exitCode: null });

  post({ type: 'run-started', runId: 'run-1', spec, flags: [], inboxOffset: 0 });
  return {
    topology: () => topology,
    state: () => state,
    now: () => at,
    pass: (ms) => {
      at += ms;
    },
    post,
    all,
    last,
    turn,
    endOf,
    end,
    interrupt,
    fail: (failure = {}, signals = []) => {
      const whole: TurnFailure = { class: 'agent', message: 'it broke', ...failure };
      return end(signals, { outcome: { status: 'failed', failure: whole }, exitCode: 1 });
    },
    judge: (isPassed) => {
      const { request, gates } = last('gates-run');
      return post({ type: 'gates-finished', request, results: gates.map((gate) => makeResult(gate, isPassed(gate))) });
    },
    ring: () => {
      const { timer, dueAt } = findNextTimer(state);
      at = Math.max(at, dueAt);
      return post({ type: 'timer-fired', timer });
    },
    resume: (changes = {}, signals = []) => {
      const resumed = post({ type: 'run-resumed', ...changes });
      const dead = resumed.some((effect) => effect.type === 'iteration-start') ? [] : state.activations;
      return [...resumed, ...dead.flatMap(({ hat }) => endOf(hat, signals, { outcome: { status: 'interrupted' }, exitCode: null }))];
    },
  };
}

function findNextTimer({ timers }: RunState): RunState['timers'][number] {
  const waiting = timers.filter((timer) => timer.purpose !== 'runtime');
  return must(waiting.toSorted((left, right) => left.dueAt - right.dueAt)[0], 'nothing is waited for');
}

/**
 * Decides, and holds the decision against the laws of the house: nothing that was given is changed (it is frozen), the same
 * arguments give the same bytes, and a state that was written and read again leads to the same.
 */
export function decideUnderLaws(topology: Topology, state: RunState, input: Input): ReturnType<typeof decide> {
  const decision = decide(topology, freeze(state), freeze(input));
  const bytes = JSON.stringify(decision);
  const readAgain = (value: unknown): never => JSON.parse(JSON.stringify(value)) as never;
  if (JSON.stringify(decide(topology, state, input)) !== bytes) throw new Error('the same arguments led to another decision');
  if (JSON.stringify(decide(topology, readAgain(state), readAgain(input))) !== bytes)
    throw new Error('a state that was read again led to another decision');
  return decision;
}

/** Freezes a value and everything in it. */
function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
}

function must<Value>(value: Value | undefined, why: string): Value {
  if (value === undefined) throw new Error(why);
  return value;
}

/** An event by the file. */
export function write(topic: string, payload: Json = '', target?: string): EventSignal {
  const signal: EventSignal = { kind: 'event', channel: 'jsonl', topic, payload };
  return target === undefined ? signal : { ...signal, target };
}

/** An event by the assistant's text. */
export function say(topic: string, payload: Json = '', target?: string): EventSignal {
  return { ...write(topic, payload, target), channel: 'text' };
}

/** The promise in the assistant's final text. */
export const PROMISE: PromiseSignal = { kind: 'promise', channel: 'text' };

/** A `HAT_TRANSITION:` line. */
export function handOn(hat: string): TransitionSignal {
  return { kind: 'transition', hat };
}

/** What a gate showed. */
export function makeResult(gate: number, passed: boolean): GateResult {
  return {
    gate,
    command: 'npm test',
    passed,
    exitCode: passed ? 0 : 1,
    timedOut: false,
    durationMs: 10,
    outputTail: passed ? 'ok' : '2 failed',
  };
}

/** A usage of which only the cost is known. */
export function cost(costUsd: number): Partial<TurnReport> {
  return { usage: { ...UNKNOWN_USAGE, costUsd } };
}

/** Who ran, in order: one entry for each turn that was started. */
export function ran(run: Play): readonly string[] {
  return run.all('iteration-start').flatMap((start) => (start.isAgain === true ? [] : [start.hat]));
}

/** What was published, in order: `topic > takers`. */
export function published(run: Play): readonly string[] {
  return run.all('event-publish').map(({ event, to }) => `${event.topic} > ${to.join(', ')}`.trim());
}

/** The topics that the running turn was given. */
export function given(run: Play): readonly string[] {
  return run.turn().events.map((event) => event.topic);
}

/** Why the run ended; `null` while it goes on. */
export function ending(run: Play): string | null {
  return run.state().end?.reason ?? null;
}

/** The codes of the notices so far. */
export function notices(run: Play): readonly string[] {
  return run.all('notice').map((notice) => notice.code);
}

/** What was refused, in order: `topic: why`. */
export function refused(run: Play): readonly string[] {
  return run.all('event-reject').map((effect) => `${effect.topic}: ${effect.why}`);
}

/** A specification's parts, for a run that is resumed with another one. */
export function changed(parts: Parameters<typeof makeSpec>[0]): { readonly spec: RunSpec } {
  return { spec: makeSpec(parts) };
}
