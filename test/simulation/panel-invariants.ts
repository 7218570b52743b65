import type { Effect } from '../../src/core/run/effects.ts';
import type { FinishPanel, PanelState } from '../../src/core/run/panel-state.ts';
import type { RunState } from '../../src/core/run/state.ts';
import { toTurnName } from '../../src/core/run/turn.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import type { SeededRun } from './simulate-run.ts';
import { readEntries } from './world.ts';

/** What must have come up among many runs, or these would prove nothing of panels. */
export const PANEL_FACTS = [
  'answers taken up',
  'applied again',
  'failed',
  'first',
  'gates',
  'only',
  'ralph',
  'tie',
  'vote taken up',
  'votes',
];

/**
 * What must hold of every panel, whoever was killed when: no answer that was taken is lost or there twice, votes are for answers that there are, and the work
 * of one winner is taken over. Throws with the first thing that does not.
 *
 * @returns what came up
 */
export function assertPanelInvariants({ world }: SeededRun): ReadonlySet<string> {
  const facts = new Set<string>();
  /** The answers of each panel, by its home. */
  const known = new Map<string, readonly string[]>();
  const finished = new Map<string, FinishPanel>();
  const ended = new Map<string, string>();
  const fold = createJournalFold();
  for (const entry of readEntries(world)) {
    const effects = fold.take(entry);
    const { state } = fold.run();
    for (const panel of listPanels(state)) assertPanel(panel, known);
    for (const effect of effects) takeEffect(effect, state, { known, finished, facts });
    const { input } = entry;
    if (input.type === 'iteration-ended') ended.set(toTurnName(input), input.outcome.status);
  }
  assertApplied(world.applied, ended, finished, facts);
  return facts;
}

function demand(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

/** Those at work, and those that wait for the turn that takes them up. */
function listPanels({ activations, plans }: RunState): readonly PanelState[] {
  return [...activations, ...plans].flatMap(({ panel }) => (panel === undefined || panel.home === '' ? [] : [panel]));
}

function assertPanel(panel: PanelState, known: Map<string, readonly string[]>): void {
  const { home, answers, agents, numbers } = panel;
  const keys = answers.map(({ agent, revision, call }) => `${agent}.${revision} ${call}`);
  const before = known.get(home) ?? [];
  demand(
    JSON.stringify(keys.slice(0, before.length)) === JSON.stringify(before),
    `panel ${home} had ${before.join()}, and has ${keys.join()}`,
  );
  known.set(home, keys);
  demand(new Set(keys.map((key) => key.split(' ')[0])).size === keys.length, `panel ${home} has an answer twice: ${keys.join()}`);
  demand(new Set(answers.map(({ call }) => call)).size === answers.length, `panel ${home} has what was handed in once twice`);
  demand(new Set(numbers).size === agents.length, `panel ${home} gives two agents one number`);
  for (const { vote } of agents)
    demand(vote === null || answers.some(({ agent }) => agent === vote.target), `panel ${home} has a vote for whom there is no answer of`);
}

interface Notes {
  readonly known: ReadonlyMap<string, readonly string[]>;
  readonly finished: Map<string, FinishPanel>;
  readonly facts: Set<string>;
}

function takeEffect(effect: Effect, { activations }: RunState, { known, finished, facts }: Notes): void {
  if (effect.type === 'iteration-start' && effect.panel !== undefined && effect.panel.home !== '') {
    const { home, answers, agents } = effect.panel;
    demand(answers.length === (known.get(home) ?? []).length, `panel ${home} was taken up without its answers`);
    if (answers.length > 0) facts.add('answers taken up');
    if (agents.some(({ vote }) => vote !== null)) facts.add('vote taken up');
  }
  if (effect.type !== 'panel-ordered') return;
  const { order } = effect;
  const panel = activations.find((turn) => toTurnName(turn) === toTurnName(effect))?.panel;
  if (panel === undefined) throw new Error('a panel that is not at work was ordered something');
  if (order.kind === 'reply' && order.revision !== undefined)
    demand(
      panel.answers.some(({ agent, revision, call }) => agent === order.agent && revision === order.revision && call === order.call),
      `an answer to panel ${panel.home} was taken and is not there`,
    );
  if (order.kind === 'finish') takeFinish(order, panel, finished, facts);
}

function takeFinish(
  order: FinishPanel,
  { home, answers, numbers }: PanelState,
  finished: Map<string, FinishPanel>,
  facts: Set<string>,
): void {
  const { outcome, votes } = order;
  facts.add(outcome.kind === 'won' ? outcome.how : 'failed');
  const before = finished.get(home);
  const isSame = before === undefined || before.outcome.kind === 'failed' || JSON.stringify(before.outcome) === JSON.stringify(outcome);
  demand(isSame, `panel ${home} came to two ends`);
  finished.set(home, order);
  for (const { target } of votes)
    demand(
      answers.some(({ agent }) => numbers[agent] === target),
      `a vote of panel ${home} is for whom there is no answer of`,
    );
  if (outcome.kind !== 'won') return;
  const { agent, revision } = outcome.winner;
  demand(
    answers.some((answer) => answer.agent === agent && answer.revision === revision),
    `panel ${home} was won by no answer`,
  );
}

/** A process that died behind the taking over does it again; it is the same work. */
function assertApplied(
  applied: SeededRun['world']['applied'],
  ended: ReadonlyMap<string, string>,
  finished: ReadonlyMap<string, FinishPanel>,
  facts: Set<string>,
): void {
  const winners = new Map<string, string>();
  const turns = new Map<string, number>();
  for (const { home, turn, winner } of applied) {
    if (winners.has(home)) facts.add('applied again');
    demand((winners.get(home) ?? winner) === winner, `the work of two winners of panel ${home} was taken over`);
    winners.set(home, winner);
    turns.set(turn, (turns.get(turn) ?? 0) + 1);
    demand(finished.get(home)?.outcome.kind === 'won', `work was taken over from panel ${home}, which has no winner`);
  }
  for (const [turn, count] of turns) demand(count === 1, `turn ${turn} took work over ${count} times`);
  for (const { home } of applied) {
    const last = applied.findLast((entry) => entry.home === home);
    const done = applied.filter((entry) => entry.home === home && ended.get(entry.turn) === 'succeeded');
    demand(done.length <= 1, `panel ${home} succeeded ${done.length} times`);
    demand(done.length === 0 || done[0] === last, `the work of panel ${home} was taken over once more when it was done`);
  }
}
