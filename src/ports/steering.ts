import type { Sender, Tell } from '../core/events/event.ts';
import type { PersonQuestion } from './people.ts';

/** What a person does with a run that goes on. */
export type SteeringWord =
  | ({ readonly kind: 'tell' } & Tell)
  | {
      readonly kind: 'answer';
      /** Of the command. */
      readonly id: string;
      readonly question: string;
      readonly choice: string;
      readonly sender: Sender;
    };

/** One of them, with where the next read begins. */
export interface HeardWord {
  readonly word: SteeringWord;
  /** In bytes. */
  readonly offset: number;
}

export interface SteeringBatch {
  readonly words: readonly HeardWord[];
  /** Where the next read begins, in bytes: behind lines that are none, too. */
  readonly offset: number;
}

/**
 * Where people tell and answer.
 *
 * Contract: `read` never throws, returns only what the run admits, takes a bounded part, and leaves a line that is being written for the next read. `watch`
 * calls `look` soon after something was written, until its function is called.
 */
export interface SteeringSource {
  readonly read: (offset: number) => SteeringBatch;
  readonly watch: (look: () => void) => () => void;
}

/** What an agent that runs as a program asks people. */
export interface ProgramQuestion extends Pick<PersonQuestion, 'text' | 'choices' | 'default' | 'deadlineMs'> {
  /** By which it finds the answer. */
  readonly ask: string;
}

/** How programs ask while their turn runs. */
export interface AskBox {
  /** Hands on what is asked from now on, until its function is called. */
  readonly watch: (take: (question: ProgramQuestion) => void) => () => void;
  /** Lets whoever asked have the answer. Throws the system error. */
  readonly answer: (ask: string, answer: { readonly choice: string; readonly by: string }) => void;
}
