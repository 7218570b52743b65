import {
  type Effect,
  type GatesRun,
  type Handlers,
  handle,
  type Input,
  type IterationStart,
  type IterationStop,
  ignore,
  toTextHash,
} from '../core/index.ts';
import { decide, INITIAL_STATE } from '../loop/decide/index.ts';
import type { Play, Scheduled } from './play.ts';
import type { PlayedRun } from './played-run.ts';
import { createSeededRandom } from './seeded-random.ts';
import type { Stage } from './stage.ts';
import { takeTurn, toPayload } from './take-turn.ts';

/**
 * Plays one run to its end: a shell in memory, which gives every effect of the real `decide` its answer, under a clock that only
 * jumps from one to the next. The number of the run and the seed say all that happens in it.
 */
export function playRun(stage: Stage, run: number): PlayedRun {
  const play: Play = {
    stage,
    random: createSeededRandom(toRunSeed(stage.settings.seed, run)),
    state: INITIAL_STATE,
    schedule: [],
    turns: [],
    faults: 0,
    payloads: 0,
    steps: new Map(),
  };
  take(play, { type: 'run-started', at: 0, runId: 'simulated', spec: stage.spec, flags: [], inboxOffset: 0 });
  while (play.state.end === null) take(play, takeNext(play.schedule).input);
  const { end, counters } = play.state;
  return { run, reason: end.reason, detail: end.detail, faults: play.faults, iterations: counters.counted, turns: play.turns };
}

/** A seed of its own for each run, so that neighbours have nothing in common. */
function toRunSeed(seed: number, run: number): number {
  return Number.parseInt(toTextHash(`${seed}/${run}`).slice(-8), 16);
}

function take(play: Play, input: Input): void {
  const { topology } = play.stage;
  const { state, effects } = decide(topology, play.state, input);
  play.state = state;
  for (const effect of effects) handle(HANDLERS, effect, play, input.at);
}

/** The earliest of what is to happen; of several the one that was scheduled first. */
function takeNext(schedule: Scheduled[]): Scheduled {
  let first = 0;
  for (let index = 1; index < schedule.length; index += 1) {
    if ((schedule[index] as Scheduled).at < (schedule[first] as Scheduled).at) first = index;
  }
  const [next] = schedule.splice(first, 1);
  if (next === undefined) throw new Error('the run waits for nothing and has not ended');
  return next;
}

/** The answer to each effect. */
const HANDLERS: Handlers<Effect, [play: Play, at: number]> = {
  'iteration-start': startTurn,
  'iteration-stop': stopTurn,
  'gates-run': (play, at, effect) => {
    play.schedule.push({ at, input: judge(play, effect, at) });
  },
  'timer-set': (play, _at, { dueAt, timer }) => {
    play.schedule.push({ at: dueAt, input: { type: 'timer-fired', at: dueAt, timer } });
  },
  'checkpoint-make': (play, at, { iteration }) => {
    play.schedule.push({ at, input: { type: 'checkpoint-finished', at, iteration, commit: null, leftOut: [], note: '' } });
  },
  'inbox-append': ignore,
  'run-end': ignore,
  'event-publish': (play, _at, { event: { topic, source }, to, how }) => {
    play.turns[play.turns.length - 1]?.published.push({ topic, source, to, how });
  },
  'event-reject': (play, _at, { topic, why }) => {
    play.turns[play.turns.length - 1]?.refused.push({ topic, why });
  },
  notice: ignore,
};

/** What the agent will do is known at once; it is told when its time has passed. */
function startTurn(play: Play, at: number, order: IterationStart): void {
  const { iteration, attempt, hat, events, timeoutMs } = order;
  const { report, ...taken } = takeTurn(play, order);
  const given = events.map(({ topic, source }) => ({ topic, source }));
  play.turns.push({ iteration, hat, given, ...taken, published: [], refused: [] });
  const until = at + Math.min(play.stage.settings.turnMs, timeoutMs);
  play.schedule.push({ at: until, input: { type: 'iteration-ended', at: until, iteration, attempt, ...report, inboxOffset: 0 } });
}

function stopTurn(play: Play, at: number, { iteration, attempt }: IterationStop): void {
  const index = play.schedule.findIndex(
    ({ input }) => input.type === 'iteration-ended' && input.iteration === iteration && input.attempt === attempt,
  );
  const turn = play.schedule[index]?.input;
  if (turn?.type !== 'iteration-ended') return;
  const notes = play.turns[play.turns.length - 1];
  if (notes !== undefined) {
    notes.outcome = 'interrupted';
    notes.said = '';
  }
  play.schedule[index] = { at, input: { ...turn, at, outcome: { status: 'interrupted' }, signals: [], exitCode: null } };
}

function judge(play: Play, { request, gates }: GatesRun, at: number): Input {
  const results = gates.map((gate) => {
    const passed = play.random.next() >= play.stage.settings.gateFailure;
    if (!passed) play.faults += 1;
    const command = play.stage.topology.spec.gates[gate]?.run ?? '';
    const outputTail = passed ? '' : toPayload(play);
    return { gate, command, passed, exitCode: passed ? 0 : 1, timedOut: false, durationMs: 0, outputTail };
  });
  return { type: 'gates-finished', at, request, results };
}
