/**
 * Who answers questions while a turn runs.
 *
 * Contract: `ask` never rejects and always settles: with what a person chose, with the default when the deadline has passed or nobody is to be waited for, or
 * with the default when the turn is being ended. The same `key` in one turn is one question, also after a crash: whoever asks again gets the answer that was
 * given. No agent answers for a person.
 */
export interface People {
  readonly ask: (question: PersonQuestion) => Promise<PersonAnswer>;
}

/** A question with a fixed list of answers. */
export interface PersonQuestion {
  /** What makes it the same question when it is asked again; at most 200 characters. */
  readonly key: string;
  /** `permission`: a call of a tool waits for it; `on_ask` says what becomes of it where nobody is there. */
  readonly kind: 'question' | 'permission';
  /** What is asked, for people: plain text. */
  readonly text: string;
  /** At least two. */
  readonly choices: readonly string[];
  /** One of the choices: what counts when nobody answers. */
  readonly default: string;
  /** Somebody is waited for although nobody sees the run. Absent: a call that needs a permission is decided at once then. */
  readonly isPatient?: true;
  /** How long an answer is waited for; absent: as `human.deadline` says. */
  readonly deadlineMs?: number;
}

export interface PersonAnswer {
  /** One of the choices. */
  readonly choice: string;
  /** `deadline`: nobody answered in time; `policy`: nobody was waited for; `withdrawn`: the turn ended first. */
  readonly by: 'person' | 'deadline' | 'policy' | 'withdrawn';
}

export interface SpokenWords {
  readonly id: string;
  readonly text: string;
  /** Who says it, for the agent: a name. */
  readonly by: string;
  /** Ralph himself says it: the text stands as it is. */
  readonly isNews?: true;
}
