import type { Sender } from '../events/event.ts';
import type { TurnId } from './turn.ts';

/** What a person tells agents. */
export interface Tell {
  /** Of the command by which it was told. */
  readonly id: string;
  readonly text: string;
  /** The hat that it is for; `null`: whoever works now, else next. */
  readonly to: string | null;
  /**
   * `now`: between two steps of the turn that runs, where its agent can be told; `next`: with the next prompt; `interrupt`: the running turn is ended, and its hat
   * begins again with it.
   */
  readonly when: 'now' | 'next' | 'interrupt';
  readonly sender: Sender;
}

/** What people are asked. */
export interface AskedQuestion {
  /** What makes it the same question when its hat asks again. */
  readonly key: string;
  /** `permission`: a call of a tool waits for it. */
  readonly purpose: 'question' | 'permission';
  readonly text: string;
  readonly choices: readonly string[];
  /** One of the choices: what counts when nobody answers in time. */
  readonly default: string;
  /** Epoch milliseconds: until when an answer is waited for. */
  readonly dueAt: number;
}

/** A question, from when it is asked until its turn is over. It stays over an interruption: the hat is expected to ask it again. */
export interface Question extends AskedQuestion, TurnId {
  /** `q1`, `q2`, …: by which people answer it. */
  readonly id: string;
  readonly hat: string;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  /** Absent while it is open. */
  readonly answer?: QuestionAnswer;
}

/** What was answered, and how that came about. */
export interface QuestionAnswer {
  readonly choice: string;
  /** `deadline`: nobody answered in time. */
  readonly by: 'person' | 'deadline';
}
