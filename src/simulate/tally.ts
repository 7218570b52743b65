import { type EndReason, RALPH, SYSTEM } from '../core/index.ts';
import { findCircles } from './find-circles.ts';
import type { PlayedRun, PlayedTurn } from './played-run.ts';
import type { HatTopic, RefusedSignal, SimulatedStall } from './simulation-report.ts';

/** Counts runs by something: each at most once, `total` as often as it happened. */
export interface Counter<Fact> {
  readonly add: (fact: Fact, run: number, times?: number) => void;
  /** The most frequent first, else in the order in which they came up. */
  readonly list: () => readonly { readonly fact: Fact; readonly runs: number; readonly total: number }[];
}

/** What is known of the runs so far. Its size does not grow with their number. */
export interface Tally {
  runs: number;
  /** True once a run completed in which no agent made a fault. */
  completesWithoutFaults: boolean;
  readonly failed: number[];
  /** How often runs completed after so many iterations. */
  readonly iterations: Map<number, number>;
  readonly ends: Counter<EndReason>;
  readonly turns: Counter<string>;
  readonly published: Counter<HatTopic>;
  readonly untaken: Counter<{ readonly topic: string; readonly source: string }>;
  readonly refused: Counter<Pick<RefusedSignal, 'hat' | 'topic' | 'why'>>;
  readonly dumb: Counter<string>;
  readonly stalls: Counter<Omit<SimulatedStall, 'runs' | 'share'>>;
  readonly circles: Counter<readonly HatTopic[]>;
}

const KEPT_FAILURES = 10;
/** Ends that say that a run went on and on. */
const ENDLESS: readonly EndReason[] = ['max_iterations', 'max_runtime', 'max_cost', 'loop_detected'];

export function createTally(): Tally {
  return {
    runs: 0,
    completesWithoutFaults: false,
    failed: [],
    iterations: new Map(),
    ends: createCounter(),
    turns: createCounter(),
    published: createCounter(),
    untaken: createCounter(),
    refused: createCounter(),
    dumb: createCounter(),
    stalls: createCounter(),
    circles: createCounter(),
  };
}

/** Adds a run. */
export function countRun(tally: Tally, played: PlayedRun): void {
  const { run, reason, iterations, turns, faults } = played;
  tally.runs += 1;
  tally.ends.add(reason, run);
  for (const turn of turns) countTurn(tally, turn, run);
  if (reason === 'completed') {
    if (faults === 0) tally.completesWithoutFaults = true;
    tally.iterations.set(iterations, (tally.iterations.get(iterations) ?? 0) + 1);
    return;
  }
  if (tally.failed.length < KEPT_FAILURES) tally.failed.push(run);
  tally.stalls.add(toStall(played), run);
  if (!ENDLESS.includes(reason)) return;
  for (const { steps, rounds } of findCircles(turns)) tally.circles.add(steps, run, rounds);
}

function countTurn(tally: Tally, turn: PlayedTurn, run: number): void {
  const { hat, published, refused } = turn;
  tally.turns.add(hat, run);
  if (turn.isDumb) tally.dumb.add(hat, run);
  for (const { topic, source, how } of published) {
    if (source === hat) tally.published.add({ hat, topic }, run);
    if (how === 'safety-net') tally.untaken.add({ topic, source }, run);
  }
  for (const { topic, why } of refused) tally.refused.add({ hat, topic, why }, run);
}

/** The last thing that an agent published, with who got it; else what the loop said to begin with. */
function toStall({ reason, turns }: PlayedRun): Omit<SimulatedStall, 'runs' | 'share'> {
  for (const { published } of turns.toReversed()) {
    const last = published.findLast(({ source }) => source !== SYSTEM);
    if (last !== undefined) return { reason, topic: last.topic, source: last.source, to: last.to };
  }
  const first = turns[0];
  const given = first?.given[0];
  return { reason, topic: given?.topic ?? '', source: given?.source ?? SYSTEM, to: [first?.hat ?? RALPH] };
}

function createCounter<Fact>(): Counter<Fact> {
  const counts = new Map<string, { readonly fact: Fact; runs: number; total: number; last: number }>();
  return {
    add: (fact, run, times = 1) => {
      const key = typeof fact === 'string' ? fact : JSON.stringify(fact);
      const known = counts.get(key);
      if (known === undefined) {
        counts.set(key, { fact, runs: 1, total: times, last: run });
        return;
      }
      if (known.last !== run) known.runs += 1;
      known.last = run;
      known.total += times;
    },
    list: () =>
      [...counts.values()].sort((a, b) => b.runs - a.runs || b.total - a.total).map(({ fact, runs, total }) => ({ fact, runs, total })),
  };
}
