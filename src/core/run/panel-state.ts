import { UNKNOWN_USAGE, type Usage } from '../backends/usage.ts';
import type { TurnFailure } from './turn.ts';

/**
 * What happens in a panel, in the past tense: inputs of the run, within `panel-moved`. `agent` is the place of an agent in `PanelSpec.agents`; the number that
 * other agents know it by is another.
 */
export type PanelMove = PanelOpened | RoundStarted | AnswerGiven | AnswerChecked | VoteGiven | UpdateGiven | RoundEnded | TimeUp;

export interface PanelOpened {
  readonly kind: 'opened';
  /** The number of each agent, from 1 on, by its place: shuffled, so that nobody can guess whose an answer is. */
  readonly numbers: readonly number[];
  /** The name of its folder among those of the run: that of the turn in which it began. */
  readonly home: string;
  /** The ids of its agents, by place; absent in journals of earlier versions. */
  readonly ids?: readonly string[];
  /** The work behind what was handed in before is not there, for that was on another machine: nothing of it counts. */
  readonly isAnew?: true;
}

/** An agent was given a prompt. */
export interface RoundStarted {
  readonly kind: 'round-started';
  readonly agent: number;
  readonly round: number;
  /** The worker of a fleet that has it; absent: it works where the run is, or where its turn is. */
  readonly worker?: string;
}

/** An agent has handed in an answer, by a tool, a command or its words. */
export interface AnswerGiven {
  readonly kind: 'answer-given';
  readonly agent: number;
  readonly round: number;
  /** What waits for the reply. */
  readonly call: string;
  /** As it was written; at most 100,000 characters. */
  readonly content: string;
  /** With every path of its own workspace as `/workspace`, and a mark of its work where the same words came with other work: what makes it the same answer. */
  readonly canonical: string;
  /** What it wants the hat to publish if it wins; absent: it does not say. */
  readonly topic?: string;
}

/** The gates have judged an answer, on a copy of the folder with the work behind it. */
export interface AnswerChecked {
  readonly kind: 'answer-checked';
  readonly agent: number;
  readonly revision: number;
  readonly isPassed: boolean;
  /** Which gates failed, and what they showed; for agents, at most 2,000 characters. Empty where all passed. */
  readonly text: string;
}

export interface VoteGiven {
  readonly kind: 'vote-given';
  readonly agent: number;
  readonly round: number;
  readonly call: string;
  /** As it was written: `agent2`. */
  readonly target: string;
  readonly reason: string;
}

/** An agent at work has been given news of answers. */
export interface UpdateGiven {
  readonly kind: 'update-given';
  readonly agent: number;
  readonly round: number;
  readonly update: string;
}

/** An agent has ended its work on a prompt. */
export interface RoundEnded {
  readonly kind: 'round-ended';
  readonly agent: number;
  readonly round: number;
  readonly outcome: 'done' | 'failed' | 'stopped';
  /** Present if and only if it failed. */
  readonly failure?: TurnFailure;
  readonly usage: Usage;
  /** What it said last, for people. */
  readonly finalText: string;
}

export interface TimeUp {
  readonly kind: 'time-up';
}

/** What is to be done next, within the effect `panel-order`. */
export type PanelOrder = StartRound | OfferUpdate | EndRound | PanelReply | CheckAnswer | FinishPanel;

/** Give an agent a prompt. Answered by `round-started`, and by `round-ended` when it is done. */
export interface StartRound {
  readonly kind: 'start-round';
  readonly agent: number;
  readonly round: number;
  readonly task: RoundTask;
  /** Answers that the prompt shows, the newest of each agent. */
  readonly shown: readonly ShownAnswer[];
  /** Its round before ended without what it was for. */
  readonly isEnforced: boolean;
  /** What it handed in did not pass the gates: what they said. */
  readonly failedGates?: string;
}

/** `answer`: to answer, or, once there are answers and it was shown them, to vote. `vote`: only to vote. `present`: to write the panel's answer. */
export type RoundTask = 'answer' | 'vote' | 'present';

export interface ShownAnswer {
  /** Whose it is. */
  readonly agent: number;
  readonly revision: number;
}

/** Tell an agent at work of answers. Answered by `update-given` where it was told. */
export interface OfferUpdate {
  readonly kind: 'offer-update';
  readonly agent: number;
  readonly round: number;
  /** An id: the same is told once. */
  readonly update: string;
  readonly answers: readonly ShownAnswer[];
}

/** End an agent's round: what it waits for finishes first unless `isNow`. Answered by `round-ended`. */
export interface EndRound {
  readonly kind: 'end-round';
  readonly agent: number;
  readonly round: number;
  readonly isNow: boolean;
}

/** The verdict on an answer or a vote, in words for the agent. One that is accepted ends its round. */
export interface PanelReply {
  readonly kind: 'reply';
  readonly agent: number;
  readonly round: number;
  readonly call: string;
  readonly isAccepted: boolean;
  readonly text: string;
  /** Of an answer that was taken; absent where there is no new one. */
  readonly revision?: number;
}

/** Let the gates judge an answer. Answered by `answer-checked`. */
export interface CheckAnswer {
  readonly kind: 'check-answer';
  readonly agent: number;
  readonly revision: number;
  /** What it would publish; `null`: it does not say. */
  readonly topic: string | null;
}

/** The coordination is over. */
export interface FinishPanel {
  readonly kind: 'finish';
  readonly outcome: PanelOutcome;
  /** The votes that count: the place of who voted, and the number of who was voted for. */
  readonly votes: readonly { readonly by: number; readonly target: number; readonly reason: string }[];
}

/**
 * Whose answer it is, and why: it has the most votes; as many as another, and Ralph chose it, or it stands first in the file; it came first, and there were
 * too few votes; no other passed the gates; there is no other.
 */
export interface Election {
  readonly winner: ShownAnswer;
  readonly how: 'votes' | 'ralph' | 'tie' | 'first' | 'gates' | 'only';
}

export type PanelOutcome =
  | (Election & {
      readonly kind: 'won';
      /** The panel's answer: the winner's, or what was made of all. */
      readonly content: string;
      readonly topic: string | null;
    })
  | { readonly kind: 'failed'; readonly reason: string };

export interface PanelAnswer extends Pick<AnswerGiven, 'agent' | 'content' | 'canonical' | 'call'> {
  /** From 1 on, by agent. */
  readonly revision: number;
  readonly topic: string | null;
  /** Made of all answers, after the vote. */
  readonly isOfAll?: true;
  /** What the gates said of it; absent: they are not asked. */
  readonly check?: AnswerCheck;
}

/** Until it was judged, nobody else hears of an answer. */
export interface AnswerCheck {
  readonly verdict: 'pending' | 'passed' | 'failed';
  /** See `AnswerChecked.text`. */
  readonly text: string;
}

/** A vote that counts as long as no newer answer comes. */
export interface PanelVote {
  /** The place of the agent that is voted for. */
  readonly target: number;
  readonly reason: string;
}

/** `ending`: it is to stop, and gets another prompt. `done`: it has voted, or will not be asked any more. `failed`: it gave up without an answer. */
export type PanelAgentStatus = 'waiting' | 'working' | 'ending' | 'done' | 'failed';

export interface PanelAgent {
  readonly status: PanelAgentStatus;
  /** The last round that was ordered; 0 before the first. */
  readonly round: number;
  readonly task: RoundTask;
  /** What of each other agent it was told, or need not be told any more because the gates refused it, by place: the revision; 0 for nothing. */
  readonly seen: readonly number[];
  /** Updates that were offered in this round and are not given yet. */
  readonly offers: readonly { readonly update: string; readonly answers: readonly ShownAnswer[] }[];
  /** Updates that it was given in this round. */
  readonly injected: number;
  /** Whether it was ever told of another's answer. */
  readonly hasHeard: boolean;
  readonly vote: PanelVote | null;
  /** What it handed in, in the round that is under way. */
  readonly acted: 'answer' | 'vote' | 'nothing';
  /** Its answer was one that there was already: it is only asked to vote. */
  readonly isVoteOnly: boolean;
  /** Rounds in a row that ended without an answer or a vote. */
  readonly enforcements: number;
  readonly failures: number;
  readonly usage: Usage;
}

/** The state of a panel: the fold of its moves. */
export interface PanelState {
  readonly numbers: readonly number[];
  /** See `PanelOpened`. */
  readonly ids?: readonly string[];
  readonly agents: readonly PanelAgent[];
  /** In the order in which they came. */
  readonly answers: readonly PanelAnswer[];
  readonly phase: 'new' | 'coordinating' | 'presenting' | 'ended';
  /** See `PanelOpened`; empty before it. */
  readonly home: string;
  readonly isTimeUp: boolean;
  readonly outcome: PanelOutcome | null;
  /** What the presentation is for. */
  readonly elected: Election | null;
}

/** A panel of so many agents, none of which has done anything yet. */
export function createPanel(agents: number): PanelState {
  const agent: PanelAgent = {
    status: 'waiting',
    round: 0,
    task: 'answer',
    seen: Array.from({ length: agents }, () => 0),
    offers: [],
    injected: 0,
    hasHeard: false,
    vote: null,
    acted: 'nothing',
    isVoteOnly: false,
    enforcements: 0,
    failures: 0,
    usage: UNKNOWN_USAGE,
  };
  return {
    numbers: [],
    agents: Array.from({ length: agents }, () => agent),
    answers: [],
    phase: 'new',
    home: '',
    isTimeUp: false,
    outcome: null,
    elected: null,
  };
}
