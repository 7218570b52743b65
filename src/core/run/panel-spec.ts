/** How several agents wear one hat, as it was declared: every default filled in, plain JSON. */
export interface PanelSpec {
  /** In the order of the file: the first wins a tie. At least two. The backend of each is that of the hat's list at the same place. */
  readonly agents: readonly PanelAgentSpec[];
  /**
   * `vote`: the answer with the most votes is the panel's. `best_of`: the gates judge each answer first, and the vote is among those that passed, or among
   * all where none did. `synthesize`: the winner of the vote writes the panel's answer from all of them.
   */
  readonly strategy: 'vote' | 'best_of' | 'synthesize';
  /**
   * Who decides between answers with equally many votes; absent: `first`, the order of the file. `ralph`: the agent whose role that is.
   * `synthesizer`: nobody, an answer is made of all.
   */
  readonly tie?: 'first' | 'ralph' | 'synthesizer';
  readonly maxAnswersPerAgent: number;
  /** Of all agents together; `null`: no limit but that of each. */
  readonly maxAnswersTotal: number | null;
  /** How much a further answer has to differ from those that there are; see `findTooNear`. */
  readonly novelty: 'off' | 'balanced' | 'strict';
  /** How ready an agent should be to vote for what there is: a matter of words in its prompt. */
  readonly voting: 'lenient' | 'balanced' | 'strict';
  /**
   * How an agent at work learns of a new answer. `mid_stream`: between two of its steps, where its backend can be told; else, and for the first time as
   * `firstInjection` says, `restart`: its request and call of a tool finish, and a prompt with all answers follows. `off`: not at all, before it votes.
   */
  readonly injection: 'mid_stream' | 'restart' | 'off';
  /** The same for the first answer that an agent hears of. `protect_first_answer`: nothing before it has answered itself. */
  readonly firstInjection: 'restart' | 'protect_first_answer' | 'mid_stream';
  /** Updates that one agent gets in the midst of one round; more wait for its next prompt. */
  readonly maxInjectionsPerRound: number;
  /** Of the whole coordination: what there is then is voted on no more. Milliseconds. */
  readonly timeoutMs: number;
  /** Of one round: then its agent is told to hand in, and `graceMs` later its round has failed. Milliseconds; absent: no limit but that of all. */
  readonly roundTimeoutMs?: number;
  readonly graceMs?: number;
  /** Agents at work at the same time. */
  readonly maxParallel: number;
  /** Valid votes without which the first answer wins. */
  readonly quorum: number;
  /** Agents that have to answer; with fewer the panel fails. */
  readonly minAgents: number;
  /** From this cost on no agent is started any more; `null`: no limit but the run's. */
  readonly budgetUsd: number | null;
}

export interface PanelAgentSpec {
  /** The name that people know it by. No agent is ever told one. */
  readonly id: string;
  /** For it alone; empty for none. */
  readonly instructions: string;
  /** It neither answers nor votes with the others: it decides a tie (`ralph`), or writes one answer from all. Absent: it does. */
  readonly role?: 'ralph' | 'synthesizer';
}
