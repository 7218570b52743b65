import { addUsage } from '../../core/backends/usage.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import {
  type AnswerCheck,
  createPanel,
  type PanelMove,
  type PanelOpened,
  type PanelOrder,
  type PanelState,
  type RoundEnded,
  type UpdateGiven,
} from '../../core/run/panel-state.ts';
import { isLasting } from '../../core/run/turn.ts';
import { advance, findWriter, promptAgent } from './advance.ts';
import { findAnswer, listNewest } from './answers.ts';
import { changeAgent, changePanel, listAgents, type PanelStep } from './panel-step.ts';
import { takeAnswer, takeCheck, takeVote } from './take-answer.ts';

/** How often an agent that handed in nothing is asked again, and failures after which it is not asked any more. */
const MAX_ENFORCEMENTS = 3;
const MAX_FAILURES = 3;

/** What follows from a move. */
export interface PanelDecision {
  readonly state: PanelState;
  readonly orders: readonly PanelOrder[];
}

/** Decides what follows from a move. Pure and total, as the loop's own `decide`: what comes out of its time changes nothing but that it is replied to. */
export function decidePanel(spec: PanelSpec, state: PanelState, move: PanelMove): PanelDecision {
  const step: PanelStep = { spec, state, orders: [] };
  take(step, move);
  advance(step);
  return { state: step.state, orders: step.orders };
}

function take(step: PanelStep, move: PanelMove): void {
  switch (move.kind) {
    case 'opened':
      return takeOpening(step, move);
    case 'round-started':
      return;
    case 'answer-given':
      return takeAnswer(step, move);
    case 'answer-checked':
      return takeCheck(step, move);
    case 'vote-given':
      return takeVote(step, move);
    case 'update-given':
      return takeUpdate(step, move);
    case 'round-ended':
      return takeRoundEnd(step, move);
    case 'time-up':
      return takeTimeUp(step);
  }
}

/** A panel that had come to its vote before goes on behind it. */
function takeOpening(step: PanelStep, { numbers, home, ids, isAnew }: PanelOpened): void {
  if (step.state.phase !== 'new') return;
  if (isAnew === true) changePanel(step, toAnew(step.state));
  const { elected, outcome } = step.state;
  const isPresenting = elected !== null && outcome === null;
  changePanel(step, { phase: isPresenting ? 'presenting' : 'coordinating', numbers, home, ...(ids === undefined ? {} : { ids }) });
  if (isPresenting && !step.state.isTimeUp) promptAgent(step, findWriter(step.spec, elected), 'present');
  // What judged them has ended with the turn before.
  for (const { agent, revision, topic, check } of step.state.answers)
    if (check?.verdict === 'pending') step.orders.push({ kind: 'check-answer', agent, revision, topic });
}

/** What it has cost it has cost. */
function toAnew({ agents }: PanelState): PanelState {
  const anew = createPanel(agents.length);
  return { ...anew, agents: anew.agents.map((agent, place) => ({ ...agent, usage: agents[place]?.usage ?? agent.usage })) };
}

/** Also whoever was to end with its step ends now. What was not judged yet is not judged any more: it counts only where there is nothing else. */
function takeTimeUp(step: PanelStep): void {
  changePanel(step, { isTimeUp: true });
  if (listNewest(step.state).length === 0) {
    const check: AnswerCheck = { verdict: 'failed', text: 'The gates had not ended when the time of the panel was over.' };
    changePanel(step, { answers: step.state.answers.map((answer) => ({ ...answer, check })) });
  }
  for (const { place, status, round } of listAgents(step.state))
    if (status === 'ending') step.orders.push({ kind: 'end-round', agent: place, round, isNow: true });
}

function takeUpdate(step: PanelStep, { agent, round, update }: UpdateGiven): void {
  const known = step.state.agents[agent];
  const given = known?.offers.find((offer) => offer.update === update);
  if (known === undefined || given === undefined || known.round !== round) return;
  const seen = known.seen.map((revision, source) =>
    given.answers.reduce((most, answer) => (answer.agent === source ? Math.max(most, answer.revision) : most), revision),
  );
  const offers = known.offers.filter((offer) => offer !== given);
  changeAgent(step, agent, { seen, offers, hasHeard: true, injected: known.injected + 1 });
}

function takeRoundEnd(step: PanelStep, { agent, round, outcome, failure, usage }: RoundEnded): void {
  const known = step.state.agents[agent];
  if (known === undefined || known.round !== round || (known.status !== 'working' && known.status !== 'ending')) return;
  changeAgent(step, agent, { usage: addUsage(known.usage, usage), offers: [] });
  if (known.task === 'present') return changeAgent(step, agent, { status: 'done' });
  if (known.acted === 'vote' && known.vote !== null) return changeAgent(step, agent, { status: 'done', enforcements: 0 });
  if (known.acted !== 'nothing') return changeAgent(step, agent, { status: 'waiting', enforcements: 0, failures: 0 });
  if (outcome === 'failed') return takeFailure(step, agent, known.failures + 1, failure !== undefined && isLasting(failure));
  if (outcome === 'stopped' || known.status === 'ending') return changeAgent(step, agent, { status: 'waiting' });
  const enforcements = known.enforcements + 1;
  changeAgent(step, agent, { enforcements, status: 'waiting' });
  if (enforcements > MAX_ENFORCEMENTS) giveUp(step, agent);
}

function takeFailure(step: PanelStep, agent: number, failures: number, isFinal: boolean): void {
  changeAgent(step, agent, { failures, status: 'waiting' });
  if (isFinal || failures >= MAX_FAILURES) giveUp(step, agent);
}

/** It is not asked again; an answer that it has given stands. */
function giveUp(step: PanelStep, agent: number): void {
  changeAgent(step, agent, { status: findAnswer(step.state, agent) === undefined ? 'failed' : 'done' });
}
