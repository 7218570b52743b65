import fc from 'fast-check';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import { SAMPLE_PANEL } from '../../core/run/panel-fixtures.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import {
  createPanel,
  type PanelMove,
  type PanelOrder,
  type PanelState,
  type RoundTask,
  type ShownAnswer,
} from '../../core/run/panel-state.ts';
import { decidePanel } from './decide-panel.ts';
import { reopenPanel } from './panel-step.ts';

/** A panel with every default. */
export const SPEC: PanelSpec = { ...SAMPLE_PANEL, injection: 'mid_stream', firstInjection: 'restart' };

/** Declarations of panels of two to five agents. */
export const specs: fc.Arbitrary<PanelSpec> = fc
  .record({
    size: fc.integer({ min: 2, max: 5 }),
    strategy: fc.constantFrom('vote', 'best_of', 'synthesize'),
    tie: fc.constantFrom('first', 'ralph', 'synthesizer'),
    hasSynthesizer: fc.boolean(),
    maxAnswersPerAgent: fc.integer({ min: 1, max: 3 }),
    maxAnswersTotal: fc.option(fc.integer({ min: 1, max: 6 })),
    novelty: fc.constantFrom('off', 'balanced', 'strict'),
    injection: fc.constantFrom('mid_stream', 'restart', 'off'),
    firstInjection: fc.constantFrom('restart', 'protect_first_answer', 'mid_stream'),
    maxInjectionsPerRound: fc.integer({ min: 0, max: 2 }),
    maxParallel: fc.integer({ min: 1, max: 5 }),
    quorum: fc.integer({ min: 1, max: 3 }),
    minAgents: fc.integer({ min: 1, max: 2 }),
    budgetUsd: fc.option(fc.constantFrom(1, 5)),
  })
  .map(({ size, hasSynthesizer, ...rest }) => ({
    ...SPEC,
    ...(rest as Partial<PanelSpec>),
    agents: [
      ...(hasSynthesizer ? [{ id: 'writer', instructions: '', role: 'synthesizer' as const }] : []),
      ...Array.from({ length: size }, (_, place) => ({ id: `person-${place}`, instructions: '' })),
      ...(rest.tie === 'ralph' ? [{ id: 'ralph', instructions: '', role: 'ralph' as const }] : []),
    ],
  }));

/** An agent at work, as far as a schedule knows it. */
interface Worker {
  readonly round: number;
  readonly task: RoundTask;
  /** It was told to end, or what it handed in was taken. */
  isEnding: boolean;
  readonly offers: string[];
}

/** A whole coordination: every move, with the state and the orders that followed. */
export interface Played {
  readonly spec: PanelSpec;
  readonly moves: readonly PanelMove[];
  readonly orders: readonly PanelOrder[];
  readonly states: readonly PanelState[];
}

/** More moves than any panel of the size above can need. */
const MAX_MOVES = 2000;

/**
 * Plays a panel by chance: agents answer, vote (also for whom there is not), say nothing, fail and are told of answers in any order; the time ends, and
 * the process dies.
 *
 * @param choose a number from 0 on that is less than its argument
 */
export function playPanel(spec: PanelSpec, choose: (options: number) => number): Played {
  let state = createPanel(spec.agents.length);
  const moves: PanelMove[] = [];
  const orders: PanelOrder[] = [];
  const states: PanelState[] = [];
  const workers = new Map<number, Worker>();
  const checks: ShownAnswer[] = [];
  const obey = (order: PanelOrder): void => {
    orders.push(order);
    if (order.kind === 'start-round') workers.set(order.agent, { round: order.round, task: order.task, isEnding: false, offers: [] });
    if (order.kind === 'check-answer') checks.push({ agent: order.agent, revision: order.revision });
    const worker = 'agent' in order ? workers.get(order.agent) : undefined;
    if (order.kind === 'offer-update') worker?.offers.push(order.update);
    if (worker !== undefined && (order.kind === 'end-round' || (order.kind === 'reply' && order.isAccepted))) worker.isEnding = true;
  };
  const make = (move: PanelMove): void => {
    moves.push(move);
    const decision = decidePanel(spec, state, move);
    state = decision.state;
    states.push(state);
    decision.orders.forEach(obey);
  };
  const numbers = spec.agents.map((_, place) => ((place + choose(spec.agents.length)) % spec.agents.length) + 1);
  const open = (): void =>
    make({
      kind: 'opened',
      numbers: new Set(numbers).size === numbers.length ? numbers : spec.agents.map((_, place) => place + 1),
      home: '1.1',
    });
  open();
  while (state.phase !== 'ended' && moves.length < MAX_MOVES) {
    if (choose(60) === 0) {
      const reopened = reopenPanel(spec, state);
      workers.clear();
      checks.splice(0);
      if (reopened === null) break;
      state = reopened;
      open();
    } else if (choose(80) === 0) make({ kind: 'time-up' });
    else if (checks.length > 0 && (workers.size === 0 || choose(3) === 0)) {
      const [check] = checks.splice(choose(checks.length), 1);
      if (check !== undefined) make({ kind: 'answer-checked', ...check, isPassed: choose(2) === 0, text: '' });
    } else {
      const agents = [...workers.keys()];
      const agent = agents[choose(agents.length)];
      const worker = agent === undefined ? undefined : workers.get(agent);
      if (agent === undefined || worker === undefined) break;
      const move = chooseMove(spec, agent, worker, moves.length, choose);
      if (move.kind === 'round-ended') workers.delete(agent);
      make(move);
    }
  }
  return { spec, moves, orders, states };
}

function chooseMove(spec: PanelSpec, agent: number, worker: Worker, turn: number, choose: (options: number) => number): PanelMove {
  const { round } = worker;
  const at = { agent, round };
  const end = (outcome: 'done' | 'failed' | 'stopped'): PanelMove => ({
    kind: 'round-ended',
    ...at,
    outcome,
    ...(outcome === 'failed' ? { failure: { class: choose(5) === 0 ? 'auth' : 'agent', message: 'no' } } : {}),
    usage: { ...UNKNOWN_USAGE, costUsd: choose(3) === 0 ? null : 0.3 },
    finalText: '',
  });
  const [offer] = worker.offers;
  if (offer !== undefined && choose(2) === 0) {
    worker.offers.shift();
    return { kind: 'update-given', ...at, update: offer };
  }
  if (worker.isEnding && choose(3) > 0) return end(choose(2) === 0 ? 'stopped' : 'done');
  switch (choose(6)) {
    case 0:
    case 1: {
      const content = ['', 'the same words as ever', `answer ${turn} of ${agent}, word${turn} word${agent}`][choose(3)] ?? '';
      return { kind: 'answer-given', ...at, call: `c${turn}`, content, canonical: content };
    }
    case 2:
    case 3: {
      const target = ['agent1', 'agent2', 'agent9', spec.agents[0]?.id ?? '', 'agent01', 'me'][choose(6)] ?? '';
      return { kind: 'vote-given', ...at, call: `c${turn}`, target, reason: 'It is good.' };
    }
    case 4:
      return end('failed');
  }
  return end('done');
}
