import type { RoundTask, ShownAnswer } from '../../core/run/panel-state.ts';
import { toUsdText } from '../../core/text/duration.ts';
import type { JournalMoment, PanelAgentView, PanelAgentWord, PanelOutcomeView, PanelRoundView, PanelView } from '../fold/panel-view.ts';
import { type FactRow, toRow } from '../text/fact-rows.ts';
import { toCount, toNumberText, toPlainLine } from '../text/plain-text.ts';

/** One thing that happened in a panel, in words. */
export interface PanelStepText extends JournalMoment {
  /** The id of the agent that it is about; empty where it is about all. */
  readonly agent: string;
  readonly text: string;
  readonly mood: 'news' | 'aside' | 'bad';
  /** Its first line is shown whole. */
  readonly isWhole?: true;
}

const MAX_ID = 24;

/** The name of an agent, as people know it. */
export function toAgentName({ agents }: Pick<PanelView, 'agents'>, place: number): string {
  return toPlainLine(agents[place]?.id ?? `#${place + 1}`, MAX_ID);
}

/** Everything that happened in a panel but its outcome, in order. */
export function toPanelSteps(panel: PanelView): readonly PanelStepText[] {
  const step = ({ at, seq }: JournalMoment, place: number | null, text: string, mood: PanelStepText['mood'] = 'news'): PanelStepText => ({
    at,
    seq,
    agent: place === null ? '' : toAgentName(panel, place),
    text,
    mood,
  });
  const steps = [
    ...panel.answers.map((answer) => step(answer, answer.agent, toAnsweredText(answer))),
    ...panel.answers.flatMap(({ agent, gates }) => {
      if (gates === undefined || gates.verdict === 'pending') return [];
      if (gates.verdict === 'passed') return [step(gates, agent, 'passed the gates')];
      return [step(gates, agent, `did not pass the gates: ${gates.text}`, 'bad')];
    }),
    ...panel.votes.map((vote) => step(vote, vote.agent, `votes for ${toAgentName(panel, vote.target)}${toReason(vote.reason)}`)),
    ...panel.updates.map((update) => step(update, update.agent, `was told of ${toWhoseText(panel, update.answers)}`, 'aside')),
    ...panel.remarks.map((remark) => step(remark, remark.agent, `was told: ${toRemarkText(panel, remark.text)}`, 'aside')),
    ...panel.rounds.flatMap((round) => {
      const { taken } = round;
      return taken === undefined ? [] : [step(taken, round.agent, `at work on worker ${toPlainLine(taken.worker, 60)}`, 'aside')];
    }),
    ...panel.rounds.flatMap((round) => {
      const text = toRoundEndText(round);
      return text === '' || round.end === null ? [] : [{ ...step(round.end, round.agent, text, 'bad'), isWhole: true as const }];
    }),
    ...(panel.timeUp === null ? [] : [step(panel.timeUp, null, 'the time of the panel is over', 'bad')]),
    // What follows from all that.
    ...panel.rounds.map((round) => step(round, round.agent, toRoundText(round), 'aside')),
  ];
  return steps.sort((one, other) => one.seq - other.seq);
}

function toAnsweredText({ revision, length, topic }: PanelView['answers'][number]): string {
  const what = topic === null ? '' : `, for ${toPlainLine(topic, 60)}`;
  return `answered${revision > 1 ? ' again' : ''} (${toCount(length, 'character')}${what})`;
}

function toReason(reason: string): string {
  return reason === '' ? '' : `: ${reason}`;
}

/** `anna's answer`, `anna's and carl's answers`. */
function toWhoseText(panel: PanelView, answers: readonly ShownAnswer[]): string {
  const whose = [...new Set(answers.map(({ agent }) => `${toAgentName(panel, agent)}'s`))];
  return `${whose.join(' and ')} answer${whose.length === 1 ? '' : 's'}`;
}

/** What was said to an agent, with the names that people know in the place of numbers. */
function toRemarkText(panel: PanelView, text: string): string {
  return text.replace(/\bagent([1-9]\d*)\b/g, (name, number: string) => {
    const place = panel.agents.findIndex((agent) => agent.number === Number(number));
    return place < 0 ? name : toAgentName(panel, place);
  });
}

function toRoundText(round: PanelRoundView): string {
  return `${round.isEnforced ? 'handed in nothing, and ' : ''}${TASKS[round.task](round)} (round ${round.round})`;
}

const TASKS: Readonly<Record<RoundTask, (round: PanelRoundView) => string>> = {
  answer: ({ shown, round }) =>
    `${round === 1 ? 'works on an answer' : 'begins again'}${shown === 0 ? '' : ` with ${toCount(shown, 'answer')}`}`,
  vote: ({ shown }) => `is to vote on ${toCount(shown, 'answer')}`,
  present: () => 'writes one answer from all',
};

function toRoundEndText({ end }: PanelRoundView): string {
  if (end === null) return '';
  const more = end.isLast ? ', and is asked no more' : '';
  if (end.failure !== null) return `failed${more}: ${end.failure.message}`;
  return end.isLast ? `handed in nothing${more}` : '';
}

/** How a panel ended: `anna won with 2 of 3 votes`, `the panel failed: no agent of it has handed in an answer`. */
export function toPanelOutcomeText(panel: PanelView, outcome: PanelOutcomeView): string {
  if (outcome.kind === 'failed') return `the panel failed: ${toPlainLine(outcome.reason, 300)}`;
  const votes = outcome.allVotes === 0 ? 'without a vote' : `with ${outcome.votes} of ${toCount(outcome.allVotes, 'vote')}`;
  const made = outcome.isOfAll === true ? ', and wrote one answer from all' : '';
  if (panel.agents[outcome.agent]?.role !== undefined) return `${toAgentName(panel, outcome.agent)} wrote one answer from all`;
  return `${toAgentName(panel, outcome.agent)} won ${HOW[outcome.how].replace('VOTES', votes)}${outcome.how === 'only' ? '' : made}`;
}

const HOW = {
  votes: 'VOTES',
  ralph: 'VOTES (a tie; Ralph chose it)',
  tie: 'VOTES (a tie; first in the file)',
  first: 'VOTES: too few agents voted, and its answer came first',
  gates: 'as the only one that passed the gates',
  only: 'as the only one that answered',
} as const;

/** Who has how many votes that count, and from whom, of the agents that have an answer: `anna  2 votes (ben, carl)`. */
export function toVoteLines(panel: PanelView): readonly string[] {
  const places = [...new Set(panel.answers.map(({ agent }) => agent))].sort((one, other) => one - other);
  const names = places.map((place) => toAgentName(panel, place));
  const width = Math.max(0, ...names.map((name) => name.length));
  return places.map((place, index) => {
    const voters = panel.votes.filter(({ target, counts }) => counts && target === place).map(({ agent }) => toAgentName(panel, agent));
    return `${(names[index] ?? '').padEnd(width)}  ${toCount(voters.length, 'vote')}${voters.length === 0 ? '' : ` (${voters.join(', ')})`}`;
  });
}

const WORDS: Readonly<Record<PanelAgentWord, readonly [one: string, several: string]>> = {
  voted: ['voted', 'voted'],
  answered: ['answered', 'answered'],
  working: ['works', 'work'],
  restarting: ['begins again', 'begin again'],
  waiting: ['waits', 'wait'],
  abstained: ['abstains', 'abstain'],
  failed: ['failed', 'failed'],
};

/** `3 agents: 2 answered, 1 works`. */
export function toPanelStateText({ agents }: Pick<PanelView, 'agents'>): string {
  const parts = (Object.keys(WORDS) as PanelAgentWord[]).flatMap((word) => {
    const count = agents.filter(({ status }) => status === word).length;
    return count === 0 ? [] : [`${count} ${WORDS[word][count === 1 ? 0 : 1]}`];
  });
  return `${toCount(agents.length, 'agent')}: ${parts.join(', ')}`;
}

const MAX_WHY = 160;

/** `3 of 5 agents answered; delta failed: it could not be started`: of a panel of which somebody gave up; else empty. */
export function toShortfallText(panel: PanelView): string {
  const failed = panel.agents.flatMap(({ status }, place) => (status === 'failed' ? [place] : []));
  if (failed.length === 0) return '';
  const members = panel.agents.filter(({ role }) => role === undefined).length;
  const answered = new Set(panel.answers.map(({ agent }) => agent)).size;
  const whys = new Map<string, readonly string[]>();
  for (const place of failed) {
    const why = panel.rounds.findLast(({ agent, end }) => agent === place && end !== null)?.end?.failure?.message ?? 'it handed in nothing';
    whys.set(why, [...(whys.get(why) ?? []), toAgentName(panel, place)]);
  }
  const texts = [...whys].map(([why, names]) => `${toNames(names)} failed: ${toPlainLine(why, MAX_WHY)}`);
  return `${answered} of ${toCount(members, 'agent')} answered; ${texts.join('; ')}`;
}

/** `2 answers kept; gamma is asked again`: what a resume does with a panel that was interrupted. */
export function toKeptText(panel: PanelView): string {
  const answers = new Set(panel.answers.map(({ agent }) => agent)).size;
  const votes = panel.votes.filter(({ counts }) => counts).length;
  const kept = [toCount(answers, 'answer'), ...(votes === 0 ? [] : [toCount(votes, 'vote')])].join(' and ');
  const listAt = (words: readonly PanelAgentWord[]): readonly string[] =>
    panel.agents.flatMap(({ status, role }, place) => (role === undefined && words.includes(status) ? [toAgentName(panel, place)] : []));
  const atWork = listAt(['working', 'restarting', 'waiting']);
  // When all have answered, all who have not voted are asked for that.
  const asked = atWork.length === 0 ? listAt(['answered']) : atWork;
  const next = asked.length === 0 ? '' : `; ${toNames(asked)} ${asked.length === 1 ? 'is' : 'are'} asked again`;
  return `${kept} kept${next}`;
}

function toNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The rows of a turn about its panel; none where one agent wears the hat. */
export function toPanelRow(panel: PanelView | null): readonly FactRow[] {
  if (panel === null) return [];
  const state = panel.outcome === null ? toPanelStateText(panel) : toPanelOutcomeText(panel, panel.outcome);
  return [...toRow('Panel', state), ...toRow('Panel', toShortfallText(panel))];
}

/** Where an agent stands, in columns: id, number, agent, state, rounds, tokens, cost. */
export function toAgentCells(agent: PanelAgentView): readonly string[] {
  const { id, number, backend, status, round, failures, usage } = agent;
  const tokens = [usage.inputTokens, usage.outputTokens].map((count) => (count === null ? '?' : toNumberText(count)));
  return [
    toPlainLine(id, MAX_ID),
    number === 0 ? '-' : `agent${number}`,
    toPlainLine(backend, 60),
    `${status}${failures === 0 ? '' : ` (${toCount(failures, 'failure')})`}`,
    String(round),
    usage.inputTokens === null && usage.outputTokens === null ? '-' : tokens.join(' / '),
    usage.costUsd === null ? '-' : toUsdText(usage.costUsd),
  ];
}
