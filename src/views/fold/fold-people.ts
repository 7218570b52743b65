import type { EventPublish, IterationStart, QuestionClose } from '../../core/run/effects.ts';
import type { Answered, TellGiven, Told } from '../../core/run/inputs.ts';
import type { Question } from '../../core/run/turn.ts';
import type { QuestionView, TellView } from './run-view.ts';

/** How much of what people said and were asked a view holds: the last. */
const MAX_KEPT = 100;

/** The part of a view that people and agents say to each other. */
interface PeopleDraft {
  tells: readonly TellView[];
  questions: readonly QuestionView[];
}

/** A person told something: it is in the journal. The same command twice is one. */
export function takeTold(draft: PeopleDraft, seq: number, { id, at, text, to, when, sender }: Told): void {
  if (draft.tells.some((tell) => tell.id === id)) return;
  draft.tells = [...draft.tells, { id, seq, at, text, to, when, sender, given: null }].slice(-MAX_KEPT);
}

/** It was given to a running agent. */
export function takeGiven(draft: PeopleDraft, hat: string, { ids, iteration, attempt, call, at }: TellGiven): void {
  draft.tells = draft.tells.map((tell) => (ids.includes(tell.id) ? { ...tell, given: { hat, iteration, attempt, call, at } } : tell));
}

/** It waits for a hat: to be given with a prompt, for the first time or again. */
export function takeQueued(draft: PeopleDraft, { event: { told } }: EventPublish): void {
  if (told !== undefined) draft.tells = draft.tells.map((tell) => (tell.id === told ? { ...tell, given: null } : tell));
}

/** A turn begins with what people told its hat. */
export function takePrompted(draft: PeopleDraft, at: number, { events, hat, iteration, attempt }: IterationStart): void {
  const ids = events.flatMap(({ told }) => (told === undefined ? [] : [told]));
  if (ids.length === 0) return;
  draft.tells = draft.tells.map((tell) => (ids.includes(tell.id) ? { ...tell, given: { hat, iteration, attempt, call: null, at } } : tell));
}

export function takeQuestion(draft: PeopleDraft, question: Question): void {
  const all = [...draft.questions, { ...question, answer: null }];
  // Settled ones go first: somebody waits for the others.
  const gone = all.filter(({ answer }) => answer !== null).slice(0, Math.max(0, all.length - MAX_KEPT));
  draft.questions = gone.length === 0 ? all : all.filter((entry) => !gone.includes(entry));
}

/** Who answered, in case that it counts. */
export function takeAnswered(draft: PeopleDraft, { question, sender }: Answered): void {
  draft.questions = draft.questions.map((entry) => (entry.id === question && entry.answer === null ? { ...entry, sender } : entry));
}

export function takeClose(draft: PeopleDraft, at: number, { id, choice, by }: QuestionClose): void {
  draft.questions = draft.questions.map((entry) =>
    entry.id === id && entry.answer === null ? { ...entry, answer: { choice, by, at } } : entry,
  );
}
