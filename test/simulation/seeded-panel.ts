import { UNKNOWN_USAGE } from '../../src/core/backends/usage.ts';
import type { FinishPanel, PanelMove, PanelOrder, RoundTask } from '../../src/core/run/panel-state.ts';
import { toTurnName } from '../../src/core/run/turn.ts';
import type { PanelDesk, TurnRequest, TurnResult } from '../../src/ports/backend.ts';
import type { World } from './world-type.ts';

/** A turn of a panel, as whoever plays it sees it. */
export interface PanelTurn {
  readonly request: Pick<TurnRequest, 'turn' | 'timeoutMs'>;
  readonly desk: PanelDesk;
  /** Ends the turn. */
  readonly end: (result: Partial<TurnResult>) => void;
  readonly isOver: () => boolean;
  /** Writes what the hat publishes. */
  readonly publish: () => void;
}

/** An agent of the panel at work. */
interface Worker {
  readonly round: number;
  readonly task: RoundTask;
  readonly offers: string[];
  isEnding: boolean;
  calls: number;
}

/**
 * Plays the agents of a panel by chance under the virtual clock: they answer, twice the same too, vote, also for whom there is not, hand in what is too
 * late, say nothing, fail and hang. Nothing is remembered beside what the loop keeps: a process that takes the panel up knows no more.
 */
export function playPanel(world: World, turn: PanelTurn): (order: PanelOrder) => void {
  const { random, clock } = world;
  const { state } = turn.desk;
  const workers = new Map<number, Worker>();
  const numbers = state.numbers.length > 0 ? state.numbers : shuffle(world, state.agents.length);
  const home = state.home === '' ? toTurnName(turn.request.turn) : state.home;
  const later = (ms: number, act: () => void): void => {
    clock.setTimer(clock.now() + 1 + random.below(ms), () => {
      if (!turn.isOver()) act();
    });
  };
  const work = (agent: number, worker: Worker): void =>
    later(40_000, () => {
      if (workers.get(agent) !== worker) return;
      const move = chooseMove(world, agent, worker, `${toTurnName(turn.request.turn)}/${agent}.${worker.round}.${worker.calls}`);
      worker.calls += 1;
      if (move === null) return;
      if (move.kind === 'round-ended') workers.delete(agent);
      turn.desk.move(move);
      if (move.kind !== 'round-ended') work(agent, worker);
    });
  later(10, () => turn.desk.move({ kind: 'opened', numbers, home }));
  clock.setTimer(clock.now() + Math.min(turn.request.timeoutMs, 300_000), () => {
    if (!turn.isOver()) turn.desk.move({ kind: 'time-up' });
  });
  return (order) => {
    if (order.kind === 'finish') return later(5000, () => finish(world, turn, home, order));
    if (order.kind === 'start-round') {
      const worker: Worker = { round: order.round, task: order.task, offers: [], isEnding: false, calls: 0 };
      workers.set(order.agent, worker);
      return work(order.agent, worker);
    }
    if (order.kind === 'check-answer') {
      const { agent, revision } = order;
      const isPassed = random.chance(0.6);
      return later(20_000, () =>
        turn.desk.move({ kind: 'answer-checked', agent, revision, isPassed, text: isPassed ? '' : 'make test failed' }),
      );
    }
    const worker = workers.get(order.agent);
    if (worker === undefined || worker.round !== order.round) return;
    if (order.kind === 'offer-update') worker.offers.push(order.update);
    else if (order.kind === 'end-round' || order.isAccepted) {
      worker.isEnding = true;
      work(order.agent, worker);
    }
  };
}

function shuffle({ random }: World, size: number): readonly number[] {
  const left = Array.from({ length: size }, (_, index) => index + 1);
  return Array.from({ length: size }, () => left.splice(random.below(left.length), 1)[0] ?? 0);
}

/** Takes the winner's work over, publishes, and ends the turn: a process may die between any two of them. */
function finish(world: World, turn: PanelTurn, home: string, { outcome }: FinishPanel): void {
  if (outcome.kind === 'failed') return turn.end({ status: 'failed', exitCode: 1, failure: { class: 'agent', message: outcome.reason } });
  world.applied.push({ home, turn: toTurnName(turn.request.turn), winner: `${outcome.winner.agent}.${outcome.winner.revision}` });
  const steps = [() => undefined, () => undefined, turn.publish, () => undefined, () => turn.end({})];
  const next = (): void => {
    const step = steps.shift();
    if (step === undefined || turn.isOver()) return;
    step();
    world.clock.setTimer(world.clock.now() + 1 + world.random.below(1000), next);
  };
  next();
}

/** What an agent does next; `null`: it hangs. */
function chooseMove({ random }: World, agent: number, worker: Worker, call: string): PanelMove | null {
  const { round } = worker;
  const at = { agent, round };
  const end = (outcome: 'done' | 'failed' | 'stopped'): PanelMove => ({
    kind: 'round-ended',
    ...at,
    outcome,
    usage: { ...UNKNOWN_USAGE, costUsd: 0.002 },
    finalText: '',
    ...(outcome === 'failed' && { failure: { class: random.pick(['agent', 'transient', 'auth']), message: 'no' } }),
  });
  const offer = worker.offers.shift();
  if (offer !== undefined && random.chance(0.7)) return { kind: 'update-given', ...at, update: offer };
  if (worker.isEnding && random.chance(0.7)) return end(random.pick(['done', 'stopped']));
  const luck = random.next();
  if (luck < 0.03) return null;
  if (luck < 0.1) return end('failed');
  if (luck < 0.2) return end('done');
  const wantsToVote = worker.task === 'vote' ? random.chance(0.9) : random.chance(0.2);
  // Also of a round that is over, or never was.
  const told = random.chance(0.05) ? { agent, round: round + random.pick([-1, 1]) } : at;
  if (wantsToVote)
    return { kind: 'vote-given', ...told, call, target: random.pick(['agent1', 'agent2', 'agent3', 'agent9', 'me']), reason: 'good' };
  const content = random.chance(0.2) ? 'the same' : random.chance(0.05) ? '' : `answer ${call}`;
  return { kind: 'answer-given', ...told, call, content, canonical: content };
}
