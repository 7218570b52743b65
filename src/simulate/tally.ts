import { RALPH, SYSTEM } from '../core/events/reserved.ts';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { Counter, HatTopic, SimulatedPanel, SimulatedRun, SimulatedStall, SimulatedTurn, Tally } from './simulation-types.ts';

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
    panels: new Map(),
  };
}

export function countRun(tally: Tally, simulated: SimulatedRun): void {
  const { run, reason, iterations, turns, faults } = simulated;
  tally.runs += 1;
  tally.ends.add(reason, run);
  for (const turn of turns) countTurn(tally, turn, run);
  if (reason === 'completed') {
    if (faults === 0) tally.completesWithoutFaults = true;
    tally.iterations.set(iterations, (tally.iterations.get(iterations) ?? 0) + 1);
    return;
  }
  if (tally.failed.length < KEPT_FAILURES) tally.failed.push(run);
  tally.stalls.add(toStall(simulated), run);
  if (!ENDLESS.includes(reason)) return;
  for (const { steps, rounds } of findCircles(turns)) tally.circles.add(steps, run, rounds);
}

function countTurn(tally: Tally, turn: SimulatedTurn, run: number): void {
  const { hat, published, refused, panel } = turn;
  if (panel !== undefined) countPanel(tally, hat, panel);
  tally.turns.add(hat, run);
  if (turn.isDumb) tally.dumb.add(hat, run);
  for (const { topic, source, how } of published) {
    if (source === hat) tally.published.add({ hat, topic }, run);
    if (how === 'safety-net') tally.untaken.add({ topic, source }, run);
  }
  for (const { topic, why } of refused) tally.refused.add({ hat, topic, why }, run);
}

function countPanel({ panels }: Tally, hat: string, { rounds, answers, votes, outcome, isTimeUp }: SimulatedPanel): void {
  const known = panels.get(hat) ?? { turns: 0, rounds: 0, answers: 0, votes: 0, timeUps: 0, outcomes: new Map() };
  panels.set(hat, known);
  known.turns += 1;
  known.rounds += rounds;
  known.answers += answers;
  known.votes += votes;
  if (isTimeUp) known.timeUps += 1;
  known.outcomes.set(outcome, (known.outcomes.get(outcome) ?? 0) + 1);
}

/** The last thing that an agent published, with who got it; else what the loop said to begin with. */
function toStall({ reason, turns }: SimulatedRun): Omit<SimulatedStall, 'runs' | 'share'> {
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

/** A circle of a run and how often it was gone round. */
export interface Circle {
  /** Who handed on by which topic; begins with the hat whose id is first in the alphabet, so that the same circle is always written the same. */
  readonly steps: readonly HatTopic[];
  readonly rounds: number;
}

/**
 * The circles in which a run went: its way from turn to turn, from which each circle is cut out as soon as it closes. In time proportional
 * to the number of turns.
 */
export function findCircles(turns: readonly SimulatedTurn[]): readonly Circle[] {
  const circles = new Map<string, { readonly steps: readonly HatTopic[]; rounds: number }>();
  const way: SimulatedTurn[] = [];
  const places = new Map<string, number>();
  for (const turn of turns) {
    const place = places.get(turn.hat);
    if (place === undefined) {
      places.set(turn.hat, way.push(turn) - 1);
      continue;
    }
    const steps = toSteps(way.slice(place), turn);
    const key = JSON.stringify(steps);
    const known = circles.get(key);
    if (known === undefined) circles.set(key, { steps, rounds: 1 });
    else known.rounds += 1;
    for (const cut of way.splice(place + 1)) places.delete(cut.hat);
  }
  return [...circles.values()];
}

/** Each turn of the circle with the topic that led to the next one. */
function toSteps(circle: readonly SimulatedTurn[], closing: SimulatedTurn): readonly HatTopic[] {
  const steps = circle.map(({ hat }, index) => ({ hat, topic: (circle[index + 1] ?? closing).given[0]?.topic ?? '' }));
  const first = steps.reduce((best, step, index) => (step.hat < (steps[best]?.hat ?? '') ? index : best), 0);
  return [...steps.slice(first), ...steps.slice(0, first)];
}
