import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { Signal } from '../core/events/event.ts';
import { TOPIC_COMPLETE } from '../core/events/reserved.ts';
import { isRequiredGate } from '../core/gates/gate-spec.ts';
import type { IterationStart, PanelOrdered } from '../core/run/effects.ts';
import type { Input, IterationEnded, PanelMoved } from '../core/run/inputs.ts';
import type {
  AnswerGiven,
  CheckAnswer,
  EndRound,
  FinishPanel,
  PanelAgent,
  PanelMove,
  PanelOrder,
  PanelState,
  StartRound,
} from '../core/run/panel-state.ts';
import { type TurnId, toTurnName } from '../core/run/turn.ts';
import { isCompletionTopic, listGuards } from '../topology/routing/queries.ts';
import { type PanelAct, type PanelUnderWay, type RunUnderWay, type TurnNotes, toPayload, toReport } from './run-under-way.ts';
import type { SimulatedChoice, SimulatedPanel } from './simulation-types.ts';

/** A turn that several agents take together. */
export interface PanelTurn {
  readonly order: IterationStart;
  readonly panel: PanelState;
  readonly notes: TurnNotes;
  /** What a script says that comes of it; `null`: chance does. */
  readonly scripted: SimulatedChoice | null;
}

/** Lets the agents of a panel begin. All that happens among them goes through the loop, as in a run. */
export function beginPanel(run: RunUnderWay, { order, panel, notes, scripted }: PanelTurn, at: number): void {
  const { iteration, attempt, hat, timeoutMs } = order;
  const spec = run.setup.topology.hatById.get(hat)?.panel;
  if (spec === undefined) return;
  const choices = scripted === null ? run.setup.choicesOf(hat) : [scripted];
  const fixed = scripted === null ? null : FIXED[scripted.kind];
  const opened: PanelUnderWay = {
    iteration,
    attempt,
    hat,
    spec,
    startedAt: at,
    choices,
    notes,
    rounds: 0,
    shown: new Map(),
    ended: 0,
    ...(fixed !== null && { fixed }),
  };
  run.panels.set(toTurnName(order), opened);
  const limitMs = timeoutMs > 0 ? Math.min(spec.timeoutMs, timeoutMs) : spec.timeoutMs;
  schedule(run, opened, at, { kind: 'opened', numbers: shuffle(run, panel), home: panel.home === '' ? toTurnName(order) : panel.home });
  schedule(run, opened, at + limitMs, { kind: 'time-up' });
}

/** What each agent does where a script says what comes of the turn. */
const FIXED: Readonly<Record<SimulatedChoice['kind'], PanelAct['does']>> = {
  event: 'hand-in',
  promise: 'hand-in',
  transition: 'hand-in',
  silent: 'nothing',
  failure: 'fail',
};

/** Numbers by chance; of a panel that goes on its own. */
function shuffle(run: RunUnderWay, { numbers, agents }: PanelState): readonly number[] {
  if (numbers.length > 0) return numbers;
  const left = agents.map((_, place) => place + 1);
  return agents.map(() => left.splice(Math.floor(run.random.next() * left.length), 1)[0] ?? 0);
}

function schedule(run: RunUnderWay, turn: TurnId, at: number, move: PanelMove): void {
  run.schedule.push({ at, input: toMoved(turn, at, move) });
}

function toMoved({ iteration, attempt }: TurnId, at: number, move: PanelMove): PanelMoved {
  return { type: 'panel-moved', at, iteration, attempt, move };
}

/** Does what was decided for a panel. */
export function obeyPanel(run: RunUnderWay, at: number, { iteration, attempt, order }: PanelOrdered): void {
  const panel = run.panels.get(toTurnName({ iteration, attempt }));
  if (panel === undefined) return;
  const handler = ORDERS[order.kind] as (run: RunUnderWay, panel: PanelUnderWay, at: number, order: PanelOrder) => void;
  handler(run, panel, at, order);
}

type PanelOrderOf<Kind extends PanelOrder['kind']> = Extract<PanelOrder, { kind: Kind }>;

const ORDERS: {
  readonly [Kind in PanelOrder['kind']]: (run: RunUnderWay, panel: PanelUnderWay, at: number, order: PanelOrderOf<Kind>) => void;
} = {
  'start-round': startRound,
  'offer-update': (run, panel, at, { agent, round, update }) => {
    const soon = at + toStepMs(run);
    const act = findAct(run, panel, agent);
    if (act !== undefined && act.at > soon) schedule(run, panel, soon, { kind: 'update-given', agent, round, update });
  },
  'end-round': endRound,
  reply: (run, panel, at, { agent, round, isAccepted, call }) => {
    // An answer that is not taken any more: it votes, where it knows of what to vote for.
    const does = !isAccepted && call.startsWith(ANSWER) ? 'vote' : 'nothing';
    run.schedule.push({ at, input: toAct(panel, { agent, round }, does) });
  },
  'check-answer': checkAnswer,
  finish: finishPanel,
};

/** Where an agent is told something, or ends after its step, it takes a tenth of a turn until then. */
function toStepMs({ setup }: RunUnderWay): number {
  return setup.settings.turnMs / 10;
}

interface AgentRound {
  readonly agent: number;
  readonly round: number;
}

function toAct({ iteration, attempt }: TurnId, { agent, round }: AgentRound, does: PanelAct['does']): PanelAct {
  return { type: 'panel-act', iteration, attempt, agent, round, does };
}

/** The gates on what an answer would publish judge it, as those on an event: each refuses with the same chance. */
function checkAnswer(run: RunUnderWay, panel: PanelUnderWay, at: number, { agent, revision, topic }: CheckAnswer): void {
  const { spec, settings } = run.setup;
  const isEnd = topic !== null && isCompletionTopic(run.setup.topology, topic);
  const topics = topic === null ? [] : isEnd ? [topic, TOPIC_COMPLETE] : [topic];
  const refusing = listGuards(spec, panel.hat, topics).filter((gate) => {
    const one = spec.gates[gate];
    return one !== undefined && one.protect === undefined && isRequiredGate(one) && run.random.next() < settings.gateFailure;
  });
  run.faults += refusing.length;
  schedule(run, panel, at + toStepMs(run), { kind: 'answer-checked', agent, revision, isPassed: refusing.length === 0, text: '' });
}

/** How an agent's work on a prompt ends is drawn at once. One that is late is at work until the time of its round is over, or it is stopped. */
function startRound(run: RunUnderWay, panel: PanelUnderWay, at: number, order: StartRound): void {
  panel.rounds += 1;
  panel.shown.set(
    order.agent,
    order.shown.map((answer) => answer.agent),
  );
  const does = panel.fixed ?? chooseDeed(run);
  const { roundTimeoutMs = Number.POSITIVE_INFINITY, graceMs = 0 } = panel.spec;
  const limitMs = roundTimeoutMs + graceMs;
  if (does === 'late' && limitMs === Number.POSITIVE_INFINITY) return;
  // Who is told to hand in does; who is late fails then.
  const workMs = Math.min(Math.round(run.setup.settings.turnMs * (0.5 + run.random.next())), roundTimeoutMs);
  const act = does === 'late' ? { due: at + limitMs, does: 'fail' as const } : { due: at + workMs, does };
  run.schedule.push({ at: act.due, input: toAct(panel, order, act.does) });
}

function chooseDeed(run: RunUnderWay): PanelAct['does'] | 'late' {
  const { random, setup } = run;
  const { failure, silent } = setup.settings;
  const luck = random.next();
  if (luck >= failure + silent) return 'hand-in';
  run.faults += 1;
  if (luck >= failure) return 'nothing';
  return random.next() < 0.5 ? 'fail' : 'late';
}

/** What an agent is about to do; `undefined`: it is late. */
function findAct(
  run: RunUnderWay,
  { iteration, attempt }: TurnId,
  agent: number,
): { readonly at: number; readonly index: number } | undefined {
  const index = run.schedule.findIndex(
    ({ input }) => input.type === 'panel-act' && input.agent === agent && input.iteration === iteration && input.attempt === attempt,
  );
  const found = run.schedule[index];
  return found === undefined ? undefined : { at: found.at, index };
}

/** What it hands in with the step that is under way counts. Who is late ends at once or not at all. */
function endRound(run: RunUnderWay, panel: PanelUnderWay, at: number, order: EndRound): void {
  const act = findAct(run, panel, order.agent);
  const until = order.isNow ? at : at + toStepMs(run);
  if (act === undefined ? !order.isNow : !order.isNow && act.at <= until) return;
  if (act !== undefined) run.schedule.splice(act.index, 1);
  run.schedule.push({ at: until, input: toAct(panel, order, 'stop') });
}

/** What an agent does at the end of its work, as the loop is told; `null` where its round is over already. */
export function toPanelInput(run: RunUnderWay, act: PanelAct, at: number): Input | null {
  const panel = run.panels.get(toTurnName(act));
  const state = findState(run, act);
  const agent = state?.agents[act.agent];
  if (panel === undefined || state === null || agent === undefined || agent.round !== act.round) return null;
  const candidates = agent.task === 'vote' ? (panel.shown.get(act.agent) ?? []) : listKnown(state, act.agent);
  const isAnswer =
    act.does === 'hand-in' &&
    !wantsToVote(
      run,
      panel,
      agent,
      candidates.some((place) => place !== act.agent),
    );
  if (isAnswer) return toMoved(act, at, toAnswer(run, panel, act));
  const mayVote = (act.does === 'hand-in' || act.does === 'vote') && candidates.length > 0;
  if (mayVote) return toMoved(act, at, toVote(run, act, state, candidates));
  return endWork(run, panel, act, at);
}

function wantsToVote({ random }: RunUnderWay, { spec }: PanelUnderWay, { task }: PanelAgent, knowsOthers: boolean): boolean {
  return task === 'vote' || (task === 'answer' && knowsOthers && random.next() < VOTES[spec.voting]);
}

/** The end of its work on a prompt. What all have cost so far is told, where that is known. */
function endWork(run: RunUnderWay, panel: PanelUnderWay, act: PanelAct, at: number): Input {
  const { iteration, attempt, agent, round } = act;
  panel.ended += 1;
  const { turnCostUsd } = run.setup.settings;
  const failure = { class: 'agent', message: 'a simulated failure' } as const;
  const usage = { ...UNKNOWN_USAGE, costUsd: turnCostUsd };
  if (turnCostUsd !== null) {
    const sum = { ...UNKNOWN_USAGE, costUsd: turnCostUsd * panel.ended };
    run.schedule.push({ at, input: { type: 'usage-reported', at, iteration, attempt, usage: sum } });
  }
  const outcome = act.does === 'fail' ? 'failed' : act.does === 'stop' ? 'stopped' : 'done';
  const ended: PanelMove = { kind: 'round-ended', agent, round, outcome, usage, finalText: '', ...(act.does === 'fail' && { failure }) };
  return toMoved(act, at, ended);
}

/** How likely an agent that knows of answers votes, where it might give one more. */
const VOTES: Readonly<Record<PanelUnderWay['spec']['voting'], number>> = { lenient: 0.75, balanced: 0.5, strict: 0.25 };

function findState({ state }: RunUnderWay, { iteration, attempt }: TurnId): PanelState | null {
  return state.activations.find((turn) => turn.iteration === iteration && turn.attempt === attempt)?.panel ?? null;
}

/** Who has an answer that an agent was told of, and no gate refused; its own is one. */
function listKnown({ answers, agents }: PanelState, agent: number): readonly number[] {
  const seen = agents[agent]?.seen ?? [];
  const open = answers.filter(({ check }) => check === undefined || check.verdict === 'passed');
  return [...new Set(open.map((answer) => answer.agent))].filter((place) => place === agent || (seen[place] ?? 0) > 0);
}

const ANSWER = 'answer';

function toVote(run: RunUnderWay, { agent, round }: AgentRound, { numbers }: PanelState, candidates: readonly number[]): PanelMove {
  const target = `agent${numbers[run.random.pick(candidates)] ?? 0}`;
  return { kind: 'vote-given', agent, round, call: `vote ${agent}.${round}`, target, reason: '' };
}

/** Answers differ, also where payloads do not: who gives the same answer twice gives one. */
function toAnswer(run: RunUnderWay, { choices, spec, rounds }: PanelUnderWay, { agent, round }: AgentRound): AnswerGiven {
  const content = `simulated ${spec.agents[agent]?.id ?? agent} ${rounds} ${round}`;
  const topic = choices.length === 0 ? null : toTopic(run, run.random.pick(choices));
  return {
    kind: 'answer-given',
    agent,
    round,
    call: `${ANSWER} ${agent}.${round}`,
    content,
    canonical: content,
    ...(topic !== null && { topic }),
  };
}

/** The topic that an answer names. */
function toTopic({ setup }: RunUnderWay, choice: SimulatedChoice): string | null {
  if (choice.kind === 'event') return choice.topics[0] ?? null;
  return choice.kind === 'promise' ? setup.topology.spec.promise : null;
}

function finishPanel(run: RunUnderWay, panel: PanelUnderWay, at: number, { outcome, votes }: FinishPanel): void {
  const { notes, spec, choices } = panel;
  const isWon = outcome.kind === 'won';
  const winner = isWon ? (spec.agents[outcome.winner.agent]?.id ?? null) : null;
  closePanel(run, panel, { votes: votes.length, outcome: isWon ? outcome.how : 'failed', winner });
  if (!isWon) {
    notes.outcome = 'failed';
    return endTurn(run, panel, at, { outcome: { status: 'failed', failure: { class: 'agent', message: outcome.reason } }, exitCode: 1 });
  }
  const { topic } = outcome;
  notes.isDumb = choices.length === 0;
  if (topic === null) return endTurn(run, panel, at, { treeChanged: true });
  const choice = choices.find((entry) => toTopic(run, entry) === topic);
  const target = choice?.kind === 'event' ? choice.target : undefined;
  notes.outcome = 'succeeded';
  notes.said = target === undefined ? topic : `${topic}@${target}`;
  const signal: Signal = { kind: 'event', channel: 'jsonl', topic, payload: toPayload(run), ...(target !== undefined && { target }) };
  endTurn(run, panel, at, { signals: [signal], treeChanged: true });
}

function endTurn(run: RunUnderWay, panel: PanelUnderWay, at: number, parts: Partial<IterationEnded>): void {
  const { iteration, attempt, startedAt, rounds } = panel;
  const { turnCostUsd } = run.setup.settings;
  const usage = { ...UNKNOWN_USAGE, costUsd: turnCostUsd === null ? null : turnCostUsd * rounds };
  const report = { ...toReport(run), durationMs: at - startedAt, usage };
  run.schedule.push({ at, input: { type: 'iteration-ended', at, iteration, attempt, inboxOffset: 0, ...report, ...parts } });
}

/** Ends the turn of a panel before its time; false where the turn is of one agent. */
export function stopPanel(run: RunUnderWay, at: number, turn: TurnId): boolean {
  const panel = run.panels.get(toTurnName(turn));
  if (panel === undefined) return false;
  closePanel(run, panel, { votes: 0, outcome: 'interrupted', winner: null });
  panel.notes.outcome = 'interrupted';
  endTurn(run, panel, at, { outcome: { status: 'interrupted' }, exitCode: null });
  return true;
}

/** Nothing of it happens any more. */
function closePanel(run: RunUnderWay, panel: PanelUnderWay, parts: Pick<SimulatedPanel, 'votes' | 'outcome' | 'winner'>): void {
  const state = findState(run, panel);
  panel.notes.panel = { rounds: panel.rounds, answers: state?.answers.length ?? 0, isTimeUp: state?.isTimeUp ?? false, ...parts };
  run.panels.delete(toTurnName(panel));
  const left = run.schedule.filter(({ input }) => {
    const isOfPanel = input.type === 'panel-act' || input.type === 'panel-moved';
    return !isOfPanel || input.iteration !== panel.iteration || input.attempt !== panel.attempt;
  });
  run.schedule.splice(0, run.schedule.length, ...left);
}
