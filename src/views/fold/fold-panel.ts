import type { IterationStart } from '../../core/run/effects.ts';
import type { PanelMoved } from '../../core/run/inputs.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type {
  AnswerChecked,
  PanelAgent,
  PanelMove,
  PanelOrder,
  PanelOutcome,
  PanelState,
  RoundEnded,
  RoundStarted,
  VoteGiven,
} from '../../core/run/panel-state.ts';
import { countVotes, findCandidate } from '../../panel/decide/answers.ts';
import { decidePanel } from '../../panel/decide/decide-panel.ts';
import { cleanText, cutText, toPlainLine } from '../text/plain-text.ts';
import {
  type JournalMoment,
  MAX_EXCERPT,
  MAX_KEPT,
  type PanelAgentView,
  type PanelAgentWord,
  type PanelAnswerView,
  type PanelOutcomeView,
  type PanelRoundView,
  type PanelView,
  type PanelVoteView,
} from './panel-view.ts';
import type { HatPanel, PanelFold, TurnDraft } from './run-draft.ts';

interface PanelDraft {
  readonly turns: readonly TurnDraft[];
  readonly declaredPanels: ReadonlyMap<string, HatPanel>;
  readonly panels: Map<TurnDraft, PanelFold>;
}

const MAX_REMARK = 300;
const MAX_TOPIC = 100;
/** Of why a round failed. */
const MAX_WHY = 2000;
const MAX_WORKER = 60;

const NOTHING_SAID = { rounds: [], answers: [], votes: [], updates: [], remarks: [] } as const;

/** A turn begins: where a panel wears its hat, its agents are known from then on. What a turn before it left stays where it goes on. */
export function openPanelView(draft: PanelDraft, turn: TurnDraft, { hat, panel: state }: IterationStart): void {
  const declared = draft.declaredPanels.get(hat);
  if (declared === undefined || state === undefined) return;
  draft.panels.set(turn, { declared, state });
  const isTakenUp = state.home !== '' && state.agents.length === declared.spec.agents.length;
  const before = isTakenUp ? draft.turns.findLast((other) => other !== turn && other.hat === hat && other.panel !== null)?.panel : null;
  const kept = before ?? NOTHING_SAID;
  const { rounds, answers, votes, updates, remarks } = kept;
  const lists = { rounds, answers, votes, updates, remarks };
  turn.panel = { strategy: declared.spec.strategy, agents: toAgents(declared, state, rounds), ...lists, timeUp: null, outcome: null };
}

/** Something happened in a panel: its own rules say what follows. */
export function takePanelMove(draft: PanelDraft, turn: TurnDraft | undefined, seq: number, { at, move }: PanelMoved): void {
  const fold = turn === undefined ? undefined : draft.panels.get(turn);
  if (turn === undefined || fold === undefined || turn.panel === null) return;
  const before = fold.state;
  const { state, orders } = decidePanel(fold.declared.spec, before, move);
  fold.state = state;
  const moment = { at, seq };
  let view = takeMove(turn.panel, { before, state, orders, moment }, move);
  for (const order of orders) view = takeOrder(view, order, { spec: fold.declared.spec, state }, moment);
  turn.panel = {
    ...view,
    votes: markVotes(view.votes, state),
    agents: toAgents(fold.declared, state, view.rounds),
  };
}

/** The turn is over: nobody is at work any more. */
export function closePanelView(draft: PanelDraft, turn: TurnDraft): void {
  draft.panels.delete(turn);
  const { panel } = turn;
  if (panel === null || panel.outcome !== null) return;
  const hasAnswered = (place: number): boolean => panel.answers.some(({ agent }) => agent === place);
  turn.panel = {
    ...panel,
    agents: panel.agents.map((agent, place) =>
      agent.status === 'working' || agent.status === 'restarting'
        ? { ...agent, status: hasAnswered(place) ? 'answered' : 'waiting' }
        : agent,
    ),
  };
}

/** A panel, and where it stands. */
interface Ruled {
  readonly spec: PanelSpec;
  readonly state: PanelState;
}

interface Decided {
  readonly before: PanelState;
  readonly state: PanelState;
  readonly orders: readonly PanelOrder[];
  readonly moment: JournalMoment;
}

function takeMove(view: PanelView, decided: Decided, move: PanelMove): PanelView {
  const { before, state, orders, moment } = decided;
  switch (move.kind) {
    case 'opened':
      return move.isAnew === true ? { ...view, ...NOTHING_SAID } : view;
    case 'round-started':
      return takeStart(view, moment, move);
    case 'answer-given': {
      const given = state.answers.length > before.answers.length ? state.answers.at(-1) : undefined;
      if (given === undefined) return addRemark(view, decided);
      const { agent, revision, content, topic, check } = given;
      const answer = {
        agent,
        revision,
        ...moment,
        excerpt: toPlainLine(content, MAX_EXCERPT),
        length: content.length,
        topic: toTopic(topic),
        ...(check !== undefined && { gates: { verdict: 'pending' as const } }),
      };
      return { ...view, answers: keep([...view.answers, answer]) };
    }
    case 'answer-checked':
      return judgeAnswer(view, decided, move);
    case 'vote-given':
      return orders.some((order) => order.kind === 'reply' && order.isAccepted) ? addVote(view, decided, move) : addRemark(view, decided);
    case 'update-given': {
      const offer = before.agents[move.agent]?.offers.find(({ update }) => update === move.update);
      if (offer === undefined || before.agents[move.agent]?.round !== move.round) return view;
      const update = { agent: move.agent, round: move.round, ...moment, answers: offer.answers };
      return { ...view, updates: keep([...view.updates, update]) };
    }
    case 'round-ended':
      return endRound(view, decided, move);
    case 'time-up':
      return { ...view, timeUp: view.timeUp ?? moment };
  }
}

function takeStart(view: PanelView, moment: JournalMoment, { agent, round, worker }: RoundStarted): PanelView {
  if (worker === undefined) return view;
  const taken = { ...moment, worker: toPlainLine(worker, MAX_WORKER) };
  return { ...view, rounds: view.rounds.map((entry) => (entry.agent === agent && entry.round === round ? { ...entry, taken } : entry)) };
}

function judgeAnswer(view: PanelView, { moment }: Decided, { agent, revision, isPassed, text }: AnswerChecked): PanelView {
  const gates = { ...moment, verdict: isPassed ? ('passed' as const) : ('failed' as const), text: toPlainLine(text, MAX_EXCERPT) };
  const isMeant = (answer: PanelAnswerView): boolean => answer.agent === agent && answer.revision === revision;
  const isDue = (answer: PanelAnswerView): boolean => isMeant(answer) && answer.gates?.verdict === 'pending';
  return { ...view, answers: view.answers.map((answer) => (isDue(answer) ? { ...answer, gates } : answer)) };
}

function addVote(view: PanelView, { before, moment }: Decided, { agent, target, reason }: VoteGiven): PanelView {
  const place = findCandidate(before, target);
  if (place === null) return view;
  const vote = { agent, target: place, ...moment, reason: toPlainLine(reason, MAX_EXCERPT), counts: true };
  return { ...view, votes: keep([...view.votes, vote]) };
}

function addRemark(view: PanelView, { orders, moment }: Decided): PanelView {
  const reply = orders.find((order) => order.kind === 'reply');
  if (reply === undefined) return view;
  const { agent, round, isAccepted, text } = reply;
  return { ...view, remarks: keep([...view.remarks, { agent, round, ...moment, isAccepted, text: toPlainLine(text, MAX_REMARK) }]) };
}

function endRound(view: PanelView, { before, state, moment }: Decided, { agent, round, outcome, failure }: RoundEnded): PanelView {
  const known = before.agents[agent];
  if (known?.round !== round || (known.status !== 'working' && known.status !== 'ending')) return view;
  const now = state.agents[agent];
  const hasGivenUp = now !== undefined && (now.failures > known.failures || now.enforcements > known.enforcements);
  const isLast = hasGivenUp && (now.status === 'failed' || now.status === 'done');
  const told =
    failure === undefined ? null : { class: failure.class, message: cutText(cleanText(failure.message.slice(0, 2 * MAX_WHY)), MAX_WHY) };
  const end = { ...moment, outcome, failure: told, isLast };
  return { ...view, rounds: view.rounds.map((entry) => (entry.agent === agent && entry.round === round ? { ...entry, end } : entry)) };
}

function takeOrder(view: PanelView, order: PanelOrder, { spec, state }: Ruled, moment: JournalMoment): PanelView {
  if (order.kind === 'finish') return { ...view, outcome: toOutcome(order.outcome, { spec, state }, moment) };
  if (order.kind !== 'start-round') return view;
  const { agent, round, task, shown, isEnforced } = order;
  return { ...view, rounds: keep([...view.rounds, { agent, round, task, ...moment, shown: shown.length, isEnforced, end: null }]) };
}

function toOutcome(outcome: PanelOutcome, { spec, state }: Ruled, moment: JournalMoment): PanelOutcomeView {
  if (outcome.kind === 'failed') return { ...outcome, ...moment };
  const { winner, how, content, topic } = outcome;
  const votes = countVotes(spec, state);
  const isOfAll = state.answers.some((answer) => answer.agent === winner.agent && answer.revision === winner.revision && answer.isOfAll);
  return {
    ...(isOfAll && { isOfAll }),
    kind: 'won',
    how,
    ...winner,
    ...moment,
    votes: votes.get(winner.agent) ?? 0,
    allVotes: [...votes.values()].reduce((sum, count) => sum + count, 0),
    topic: toTopic(topic),
    excerpt: toPlainLine(content, MAX_EXCERPT),
    length: content.length,
  };
}

/** Of each agent only the last vote may count, and does as long as the rules keep it. */
function markVotes(votes: readonly PanelVoteView[], state: PanelState): readonly PanelVoteView[] {
  return votes.map((vote, index) => {
    const isLast = !votes.some((other, place) => place > index && other.agent === vote.agent);
    const counts = isLast && state.agents[vote.agent]?.vote?.target === vote.target;
    return counts === vote.counts ? vote : { ...vote, counts };
  });
}

function toAgents({ spec, backends }: HatPanel, state: PanelState, rounds: readonly PanelRoundView[]): readonly PanelAgentView[] {
  return state.agents.map((agent, place) => ({
    id: spec.agents[place]?.id ?? `#${place + 1}`,
    ...(spec.agents[place]?.role !== undefined && { role: spec.agents[place].role }),
    number: state.numbers[place] ?? 0,
    backend: backends[place] ?? '',
    status: toWord(agent, place, state),
    round: agent.round,
    failures: rounds.filter((round) => round.agent === place && round.end?.outcome === 'failed').length,
    usage: agent.usage,
  }));
}

function toWord({ status, acted, vote }: PanelAgent, place: number, state: PanelState): PanelAgentWord {
  switch (status) {
    case 'waiting':
      return state.answers.some(({ agent }) => agent === place) ? 'answered' : 'waiting';
    case 'working':
      if (acted === 'answer') return 'answered';
      return acted === 'vote' ? (vote === null ? 'restarting' : 'voted') : 'working';
    case 'ending':
      return state.isTimeUp ? 'working' : 'restarting';
    case 'done':
      return vote === null ? 'abstained' : 'voted';
    case 'failed':
      return 'failed';
  }
}

/** What an agent wrote for one, which nobody has checked. */
function toTopic(topic: string | null): string | null {
  return topic === null ? null : toPlainLine(topic, MAX_TOPIC);
}

function keep<Item>(items: readonly Item[]): readonly Item[] {
  return items.slice(-MAX_KEPT);
}
