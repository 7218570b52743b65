import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { Election, PanelAgent, PanelAnswer, PanelState, RoundTask, StartRound } from '../../core/run/panel-state.ts';
import {
  elect,
  findAnswer,
  findRevision,
  findRole,
  isJudging,
  listBest,
  listEligible,
  listNewest,
  listUnseen,
  mayAnswer,
} from './answers.ts';
import { changeAgent, changePanel, listAgents, type PanelStep, type PlacedAgent } from './panel-step.ts';

/** Tells agents at work of new answers, starts those that have something to do, and ends the panel where nobody has. */
export function advance(step: PanelStep): void {
  if (step.state.phase === 'presenting') return present(step);
  if (step.state.phase !== 'coordinating') return;
  if (isOver(step)) stopAll(step);
  else {
    for (const agent of listAgents(step.state, 'working')) bringNews(step, agent);
    for (const agent of listAgents(step.state, 'waiting')) startWaiting(step, agent);
  }
  if (!isAtWork(step.state) && !isJudging(step.state)) close(step);
}

function isAtWork({ agents }: PanelState): boolean {
  return agents.some(({ status }) => status === 'working' || status === 'ending');
}

/** The time or the money of the panel is used up: there is what there is. */
function isOver({ spec, state }: PanelStep): boolean {
  const costUsd = state.agents.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), 0);
  return state.isTimeUp || (spec.budgetUsd !== null && costUsd >= spec.budgetUsd);
}

function stopAll(step: PanelStep): void {
  for (const { place, status, round } of listAgents(step.state)) {
    if (status === 'working' && step.state.isTimeUp) endRound(step, place, round, true);
    if (status === 'waiting') changeAgent(step, place, { status: 'done' });
  }
}

function endRound(step: PanelStep, agent: number, round: number, isNow: boolean): void {
  changeAgent(step, agent, { status: 'ending' });
  step.orders.push({ kind: 'end-round', agent, round, isNow });
}

/** An agent at work learns of answers that came since its prompt, as the panel does that. One that has handed something in is at the end of its round. */
function bringNews(step: PanelStep, agent: PlacedAgent): void {
  const { spec, state } = step;
  const { place, round } = agent;
  const offered = agent.offers.flatMap(({ answers }) => answers);
  const news = listUnseen(state, place).filter(
    (answer) => !offered.some((known) => known.agent === answer.agent && known.revision >= answer.revision),
  );
  if (news.length === 0 || agent.acted !== 'nothing') return;
  // What can be voted for is fixed when its prompt is written.
  if (agent.task === 'vote') return endRound(step, place, round, false);
  if (spec.injection === 'off') return;
  const isFirst = !agent.hasHeard && agent.offers.length === 0;
  if (isFirst && spec.firstInjection === 'protect_first_answer' && findAnswer(state, place) === undefined) return;
  const isRestart = isFirst ? spec.firstInjection === 'restart' : spec.injection === 'restart';
  if (isRestart) return endRound(step, place, round, false);
  if (agent.injected + agent.offers.length >= spec.maxInjectionsPerRound) return;
  const update = `${place}.${round}.${agent.injected + agent.offers.length + 1}`;
  changeAgent(step, place, { offers: [...agent.offers, { update, answers: news }] });
  step.orders.push({ kind: 'offer-update', agent: place, round, update, answers: news });
}

function startWaiting(step: PanelStep, { place }: PlacedAgent): void {
  const task = findTask(step, place);
  if (task === 'wait') return;
  if (step.state.agents.filter(({ status }) => status === 'working' || status === 'ending').length >= step.spec.maxParallel) return;
  promptAgent(step, place, task);
}

/** What a waiting agent is to do next. */
function findTask({ spec, state }: PanelStep, place: number): RoundTask | 'wait' {
  if (spec.agents[place]?.role !== undefined || isJudging(state, place)) return 'wait';
  if (wantsToAnswer(spec, state, place)) return 'answer';
  // A vote would be void once another answers.
  if (isJudging(state) || hasOthersToAnswer(spec, state, place)) return 'wait';
  return listEligible(state).length < 2 ? 'wait' : 'vote';
}

/** Whether a waiting agent is to answer: for the first time, because its answer did not pass the gates, or because it was not told of another yet. */
function wantsToAnswer(spec: PanelSpec, state: PanelState, place: number): boolean {
  if (!mayAnswer(spec, state, place)) return false;
  const own = findAnswer(state, place);
  return own === undefined || own.check?.verdict === 'failed' || (spec.injection !== 'off' && listUnseen(state, place).length > 0);
}

function hasOthersToAnswer(spec: PanelSpec, state: PanelState, place: number): boolean {
  return state.agents.some((agent, other) => other !== place && mayYetAnswer(spec, state, agent, other));
}

/** It may hand in an answer in the round that is under way, or will be asked for one. */
function mayYetAnswer(spec: PanelSpec, state: PanelState, { status, task, acted }: PanelAgent, place: number): boolean {
  if (status === 'waiting') return wantsToAnswer(spec, state, place);
  const isAtWork = status === 'working' || status === 'ending';
  return isAtWork && task === 'answer' && acted !== 'answer' && mayAnswer(spec, state, place);
}

/** Gives an agent a prompt, with the answers that it may know of. */
export function promptAgent(step: PanelStep, place: number, task: RoundTask): void {
  const known = step.state.agents[place];
  if (known === undefined) return;
  const round = known.round + 1;
  // What it is not to hear of while it works, it does not read at the beginning either.
  const { injection, firstInjection } = step.spec;
  const isBlind = injection === 'off' || (firstInjection === 'protect_first_answer' && findAnswer(step.state, place) === undefined);
  const shown = (task === 'answer' && isBlind ? [] : listShown(step, place, task))
    .filter((answer) => task !== 'answer' || answer.agent !== place || step.spec.maxAnswersPerAgent > 1)
    .map(({ agent, revision }) => ({ agent, revision }));
  // Whoever votes need not know of what cannot be voted for.
  const told = task === 'vote' ? listNewest(step.state) : shown;
  const seen = known.seen.map((revision, source) => Math.max(revision, told.find((answer) => answer.agent === source)?.revision ?? 0));
  const hasHeard = known.hasHeard || shown.some(({ agent }) => agent !== place);
  changeAgent(step, place, { status: 'working', round, task, seen, hasHeard, offers: [], injected: 0, acted: 'nothing' });
  const failedGates = task === 'answer' ? toFailedGates(findAnswer(step.state, place)) : {};
  step.orders.push({ kind: 'start-round', agent: place, round, task, shown, isEnforced: known.enforcements > 0, ...failedGates });
}

/** Whoever votes is shown what can be voted for, whoever decides a tie what has equally many votes; all others everything. */
function listShown({ spec, state }: PanelStep, place: number, task: RoundTask): readonly PanelAnswer[] {
  if (task !== 'vote') return listNewest(state);
  const eligible = listEligible(state);
  if (spec.agents[place]?.role !== 'ralph') return eligible;
  const best = listBest(spec, state);
  return eligible.filter(({ agent }) => best.includes(agent));
}

function toFailedGates(own: PanelAnswer | undefined): Pick<StartRound, 'failedGates'> {
  return own?.check?.verdict === 'failed' ? { failedGates: own.check.text } : {};
}

/** Nobody is at work: the panel has its answer, or none. */
function close(step: PanelStep): void {
  if (step.state.outcome !== null) return finish(step, step.state.outcome);
  const elected = elect(step.spec, step.state);
  if (elected === null) return finish(step, { kind: 'failed', reason: explainFailure(step) });
  if (elected.how === 'tie' && !isOver(step)) {
    const judge = findRole(step.spec, 'ralph');
    if (step.state.agents[judge]?.status === 'waiting') return promptAgent(step, judge, 'vote');
  }
  changePanel(step, { elected });
  if (!isSynthesis(step, elected)) return finishElected(step);
  changePanel(step, { phase: 'presenting' });
  promptAgent(step, findWriter(step.spec, elected), 'present');
}

function isSynthesis(step: PanelStep, { how }: Election): boolean {
  const { strategy, tie } = step.spec;
  const isWanted = strategy === 'synthesize' ? how !== 'only' : how === 'tie' && tie === 'synthesizer';
  return isWanted && !isOver(step);
}

/** Who writes one answer from all: the agent whose role that is, else the winner. */
export function findWriter(spec: PanelSpec, { winner }: Election): number {
  const writer = findRole(spec, 'synthesizer');
  return writer < 0 ? winner.agent : writer;
}

function explainFailure({ spec, state }: PanelStep): string {
  const given = listNewest(state).length;
  const why = state.isTimeUp ? ' before the time of the panel was over' : '';
  if (given === 0) return `no agent of the panel has handed in an answer${why}`;
  const count = spec.agents.filter(({ role }) => role === undefined).length;
  return `${given} of the ${count} agents of the panel ${given === 1 ? 'has' : 'have'} handed in an answer${why}, and min_agents is ${spec.minAgents}`;
}

/** The agent that writes one answer from all is at work, or is done: its own answer stands where it wrote none. */
function present(step: PanelStep): void {
  const { elected } = step.state;
  const agent = elected === null ? -1 : findWriter(step.spec, elected);
  const writer = step.state.agents[agent];
  if (writer?.status === 'working' && step.state.isTimeUp) endRound(step, agent, writer.round, true);
  else if (writer?.status !== 'working' && writer?.status !== 'ending') finishElected(step);
}

function finishElected(step: PanelStep): void {
  const { elected, outcome } = step.state;
  if (outcome !== null) return finish(step, outcome);
  const answer = elected === null ? undefined : findRevision(step.state, elected.winner);
  if (elected === null || answer === undefined) return;
  finish(step, { kind: 'won', ...elected, content: answer.content, topic: answer.topic });
}

function finish(step: PanelStep, outcome: NonNullable<PanelStep['state']['outcome']>): void {
  changePanel(step, { phase: 'ended', outcome });
  const { numbers, agents } = step.state;
  const votes = agents.flatMap(({ vote }, by) =>
    vote === null || step.spec.agents[by]?.role !== undefined ? [] : [{ by, target: numbers[vote.target] ?? 0, reason: vote.reason }],
  );
  step.orders.push({ kind: 'finish', outcome, votes });
}
