import type { Usage } from '../../core/backends/usage.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { Election, RoundEnded, RoundTask, ShownAnswer } from '../../core/run/panel-state.ts';
import type { TurnFailure } from '../../core/run/turn.ts';

/** Several agents that wear a hat, as a person sees them. `agent` is always the place in `agents`. Whole answers are in the journal only. */
export interface PanelView {
  readonly strategy: PanelSpec['strategy'];
  /** In the order of the file. */
  readonly agents: readonly PanelAgentView[];
  /** In the order in which they began. Of this list and those below the last {@link MAX_KEPT}. */
  readonly rounds: readonly PanelRoundView[];
  readonly answers: readonly PanelAnswerView[];
  readonly votes: readonly PanelVoteView[];
  readonly updates: readonly PanelUpdateView[];
  /** What agents handed in that was no new answer and no vote, and what they were told of it. */
  readonly remarks: readonly PanelRemarkView[];
  /** When its time was over; `null`: it is not. */
  readonly timeUp: JournalMoment | null;
  /** `null` before the end. */
  readonly outcome: PanelOutcomeView | null;
}

/** How many rounds, answers, votes, updates and remarks are kept of each panel. */
export const MAX_KEPT = 200;
/** How much of answers and reasons is kept; characters. */
export const MAX_EXCERPT = 300;

/** Where something is in the journal. */
export interface JournalMoment {
  readonly at: number;
  readonly seq: number;
}

export interface PanelAgentView {
  /** As people know it. */
  readonly id: string;
  /** It decides a tie, or writes one answer from all, and does nothing else; absent: it answers and votes. */
  readonly role?: 'ralph' | 'synthesizer';
  /** As the other agents know it: `agent2`; 0 before the panel begins. */
  readonly number: number;
  /** The label of its backend. */
  readonly backend: string;
  readonly status: PanelAgentWord;
  /** The last one that was ordered; 0 before the first. */
  readonly round: number;
  /** Rounds that failed. */
  readonly failures: number;
  readonly usage: Usage;
}

/**
 * `waiting`: it has answered nothing yet, and is not at work. `restarting`: it ends what it does, and gets another prompt. `answered`, `voted`: it has handed
 * that in, and its vote counts. `abstained`: it is not asked any more, and has no vote that counts. `failed`: it gave up without an answer.
 */
export type PanelAgentWord = 'waiting' | 'working' | 'restarting' | 'answered' | 'voted' | 'abstained' | 'failed';

/** One prompt of one agent, and how its work on it ended. */
export interface PanelRoundView extends JournalMoment {
  readonly agent: number;
  readonly round: number;
  readonly task: RoundTask;
  /** How many answers its prompt showed, its own included. */
  readonly shown: number;
  /** Its round before ended without what it was for. */
  readonly isEnforced: boolean;
  /** The worker of a fleet that has it, and since when; absent: none does, or not yet. */
  readonly taken?: JournalMoment & { readonly worker: string };
  /** `null` while it is under way. */
  readonly end: PanelRoundEnd | null;
}

export interface PanelRoundEnd extends JournalMoment {
  readonly outcome: RoundEnded['outcome'];
  readonly failure: Pick<TurnFailure, 'class' | 'message'> | null;
  /** It gave up: the agent is not asked any more. */
  readonly isLast: boolean;
}

export interface PanelAnswerView extends JournalMoment, ShownAnswer {
  /** The beginning, on one line. */
  readonly excerpt: string;
  /** Of the whole answer; characters. */
  readonly length: number;
  readonly topic: string | null;
  /** What the gates said of it; absent: they are not asked. */
  readonly gates?: PanelGatesView;
}

/** `pending`: nobody else hears of the answer yet. */
export type PanelGatesView =
  | { readonly verdict: 'pending' }
  | (JournalMoment & { readonly verdict: 'passed' | 'failed'; readonly text: string });

export interface PanelVoteView extends JournalMoment {
  readonly agent: number;
  /** The place of the agent that it is for. */
  readonly target: number;
  readonly reason: string;
  /** Whether it counts as things stand. A newer answer, or a newer vote of the same agent, makes it void. */
  readonly counts: boolean;
}

/** An agent was told of answers while it worked. */
export interface PanelUpdateView extends JournalMoment {
  readonly agent: number;
  readonly round: number;
  readonly answers: readonly ShownAnswer[];
}

export interface PanelRemarkView extends JournalMoment {
  readonly agent: number;
  readonly round: number;
  readonly isAccepted: boolean;
  readonly text: string;
}

export type PanelOutcomeView =
  | (JournalMoment &
      Pick<Election, 'how'> & {
        readonly kind: 'won';
        readonly agent: number;
        readonly revision: number;
        /** For the winner, and all that count. */
        readonly votes: number;
        readonly allVotes: number;
        readonly topic: string | null;
        /** Whoever won has written it from all answers; absent: it is that which was voted on. */
        readonly isOfAll?: true;
        /** Of the panel's answer, which may be made of all. */
        readonly excerpt: string;
        readonly length: number;
      })
  | (JournalMoment & { readonly kind: 'failed'; readonly reason: string });
