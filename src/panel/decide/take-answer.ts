import type {
  AnswerCheck,
  AnswerChecked,
  AnswerGiven,
  PanelAgent,
  PanelAnswer,
  PanelReply,
  VoteGiven,
} from '../../core/run/panel-state.ts';
import { findAnswer, findCandidate, findTooNear, listBest, listCandidates, listUnseen, mayAnswer, toNumberName } from './answers.ts';
import { changeAgent, changePanel, type PanelStep } from './panel-step.ts';

/** An answer is handed in. */
export function takeAnswer(step: PanelStep, given: AnswerGiven): void {
  const agent = findWorker(step, given);
  if (agent === null) return reply(step, given, false, 'Your time for this is over: nothing was taken. Wait for your next prompt.');
  if (agent.task === 'present') return takePresentation(step, given);
  if (agent.task === 'vote')
    return reply(step, given, false, `You can only vote now, for one of: ${listCandidates(step.state).join(', ')}.`);
  if (agent.acted === 'answer')
    return reply(step, given, false, 'You have handed in an answer in this round, and that counts: nothing more is taken.');
  if (given.content.trim() === '')
    return reply(step, given, false, 'The answer is empty: nothing was taken. Hand in what you found or made.');
  if (!mayAnswer(step.spec, step.state, given.agent))
    return reply(step, given, false, 'No more answers are taken from you. Vote for one of those that there are.');
  const same = step.state.answers.find(({ canonical }) => canonical === given.canonical);
  if (same !== undefined) return takeSame(step, given, same);
  const own = findAnswer(step.state, given.agent);
  // What is mended may be said in the same words.
  const near = own === undefined || own.check?.verdict === 'failed' ? null : findTooNear(step.spec, step.state, given.content);
  if (near !== null) return reply(step, given, false, explainNear(step, given, near));
  const revision = addAnswer(step, given);
  step.orders.push({ ...toReply(given, true, 'Your answer is in.'), revision });
  if (step.spec.strategy === 'best_of')
    step.orders.push({ kind: 'check-answer', agent: given.agent, revision, topic: given.topic ?? null });
}

/** The gates have judged an answer: from now on others hear of it. */
export function takeCheck(step: PanelStep, { agent, revision, isPassed, text }: AnswerChecked): void {
  const { answers } = step.state;
  const judged = answers.find((answer) => answer.agent === agent && answer.revision === revision);
  if (judged?.check?.verdict !== 'pending' || step.state.isTimeUp) return;
  const check: AnswerCheck = { verdict: isPassed ? 'passed' : 'failed', text };
  changePanel(step, { answers: answers.map((answer) => (answer === judged ? { ...answer, check } : answer)) });
  voidVotes(step);
}

function takePresentation(step: PanelStep, given: AnswerGiven): void {
  const { elected } = step.state;
  if (elected === null || given.content.trim() === '') return reply(step, given, false, 'The answer is empty: nothing was taken.');
  const { agent, content, canonical, call } = given;
  if (step.state.agents[agent]?.acted === 'answer') return reply(step, given, false, 'The answer of all is in: nothing more is taken.');
  const before = findAnswer(step.state, agent);
  const topic = given.topic ?? before?.topic ?? null;
  const revision = (before?.revision ?? 0) + 1;
  changeAgent(step, agent, { acted: 'answer' });
  changePanel(step, {
    answers: [...step.state.answers, { agent, revision, content, canonical, topic, call, isOfAll: true }],
    outcome: { kind: 'won', ...elected, winner: { agent, revision }, content, topic },
  });
  step.orders.push({ ...toReply(given, true, 'This is the answer of the panel.'), revision });
}

/** The same words twice, with the same work behind them, are one answer: whoever hands them in as the second is asked to vote. */
function takeSame(step: PanelStep, given: AnswerGiven, same: PanelAnswer): void {
  changeAgent(step, given.agent, { acted: 'answer', isVoteOnly: true });
  const whose =
    same.agent === given.agent ? 'what you have handed in before' : `what ${toNumberName(step.state, same.agent)} has handed in`;
  reply(step, given, true, `This is ${whose}, word for word and with the same work: it counts once. You will be asked to vote.`);
}

function explainNear(step: PanelStep, given: AnswerGiven, near: PanelAnswer): string {
  const whose = near.agent === given.agent ? 'your own last answer' : `the answer of ${toNumberName(step.state, near.agent)}`;
  return `This hardly differs from ${whose}: it was not taken. Vote for the best one, or hand in what is truly better.`;
}

function addAnswer(step: PanelStep, { agent, content, canonical, topic, call }: AnswerGiven): number {
  const revision = (findAnswer(step.state, agent)?.revision ?? 0) + 1;
  const added: PanelAnswer = { agent, revision, content, canonical, topic: topic ?? null, call };
  const isJudged = step.spec.strategy === 'best_of';
  changePanel(step, { answers: [...step.state.answers, isJudged ? { ...added, check: { verdict: 'pending', text: '' } } : added] });
  if (!isJudged) voidVotes(step);
  changeAgent(step, agent, { acted: 'answer', vote: null });
  return revision;
}

/** Votes that did not know of what is new do not count any more. */
function voidVotes(step: PanelStep): void {
  changePanel(step, {
    agents: step.state.agents.map((known) =>
      known.vote === null ? known : { ...known, vote: null, status: known.status === 'done' ? 'waiting' : known.status },
    ),
  });
}

/** A vote is given. Of several in one round the last counts. */
export function takeVote(step: PanelStep, given: VoteGiven): void {
  const agent = findWorker(step, given);
  const isDeciding = step.spec.agents[given.agent]?.role === 'ralph';
  const best = isDeciding ? listBest(step.spec, step.state) : null;
  const names = (best?.map((place) => toNumberName(step.state, place)) ?? listCandidates(step.state)).join(', ');
  if (agent === null) return reply(step, given, false, 'Your time for this is over: the vote was not taken. Wait for your next prompt.');
  if (agent.task === 'present') return reply(step, given, false, 'The vote is over: hand in the one answer from all.');
  if (agent.acted === 'answer')
    return reply(step, given, false, 'You have handed in an answer, and that counts: vote when you are asked again.');
  const target = findCandidate(step.state, given.target);
  if (target === null || best?.includes(target) === false)
    return reply(
      step,
      given,
      false,
      names === '' ? 'There is no answer to vote for yet: hand in your own.' : `${toUnknown(given.target)} There are: ${names}.`,
    );
  if (!isDeciding && listUnseen(step.state, given.agent).length > 0) {
    changeAgent(step, given.agent, { acted: 'vote', vote: null });
    return reply(step, given, true, 'A new answer has come that you have not seen: your vote does not count, and you will be asked again.');
  }
  changeAgent(step, given.agent, { acted: 'vote', vote: { target, reason: given.reason } });
  reply(step, given, true, `Your vote for ${toNumberName(step.state, target)} is in.`);
}

/** Other words than a number are not repeated: they may be the id of an agent, which no agent is told. */
function toUnknown(target: string): string {
  const name = target.trim().toLowerCase();
  return /^agent\d{1,6}$/.test(name) ? `There is no answer of ${name}.` : 'That names no answer.';
}

/** The agent whose round it is; `null` where that round is over. */
function findWorker(step: PanelStep, given: { readonly agent: number; readonly round: number }): PanelAgent | null {
  const agent = step.state.agents[given.agent];
  const isAtWork = agent !== undefined && (agent.status === 'working' || agent.status === 'ending') && agent.round === given.round;
  return isAtWork && step.state.phase !== 'ended' ? agent : null;
}

function reply(step: PanelStep, given: AnswerGiven | VoteGiven, isAccepted: boolean, text: string): void {
  step.orders.push(toReply(given, isAccepted, text));
}

function toReply({ agent, round, call }: AnswerGiven | VoteGiven, isAccepted: boolean, text: string): PanelReply {
  return { kind: 'reply', agent, round, call, isAccepted, text };
}
