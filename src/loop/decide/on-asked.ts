import type { Asked } from '../../core/run/inputs.ts';
import type { Activation } from '../../core/run/state.ts';
import type { Question, QuestionAnswer } from '../../core/run/turn.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import { change, count, type LoopStep, notify, order, setTimer, toTurnPlace } from './step.ts';

/** Something in a turn asks people. What its hat asked before, in a turn that was interrupted, is not asked again. */
export function onAsked(step: LoopStep, input: Asked): void {
  const { iteration, attempt, key, purpose, text, choices, dueAt } = input;
  const turn = step.state.activations.find((entry) => entry.iteration === iteration && entry.attempt === attempt);
  if (turn === undefined) return;
  const known = step.state.questions.find((question) => isOf(question, turn) && question.key === key);
  if (known !== undefined && isUsed(known, turn))
    change(step, { questions: step.state.questions.filter((question) => question !== known) });
  else if (known !== undefined) return takeUp(step, { ...known, iteration, attempt });
  const id = `q${count(step, 'question')}`;
  const question: Question = {
    ...{ id, hat: turn.hat, iteration, attempt, key, purpose, text, choices },
    ...{ default: input.default, dueAt, askedAt: step.at, ...toTurnPlace(turn) },
  };
  change(step, { questions: [...step.state.questions, question] });
  setTimer(step, dueAt, 'question');
  order(step, { type: 'question-open', question });
}

/** Whether a turn asked it, or one that this one takes up. Each of several turns of a hat has its own. */
function isOf(question: Question, { hat, place }: Activation): boolean {
  return question.hat === hat && (place === undefined || question.place === undefined || question.place === place);
}

/** A permission that this turn has had is for the call that it was asked for: its like is asked about anew. */
function isUsed({ purpose, answer, iteration, attempt }: Question, turn: Activation): boolean {
  return purpose === 'permission' && answer !== undefined && iteration === turn.iteration && attempt === turn.attempt;
}

/** The turn that runs now waits for it, or has its answer. */
function takeUp(step: LoopStep, question: Question): void {
  replace(step, question);
  if (question.answer !== undefined) close(step, question, question.answer);
}

export function settleQuestion(step: LoopStep, question: Question, answer: QuestionAnswer): void {
  const answered = { ...question, answer };
  replace(step, answered);
  close(step, answered, answer);
}

/** Questions whose time is up get the answer that was stated as their default. */
export function expireQuestions(step: LoopStep): void {
  for (const question of step.state.questions) {
    if (question.answer !== undefined || question.dueAt > step.at) continue;
    const { id, hat, text } = question;
    notify(step, 'warning', 'question-expired', `Nobody answered ${id} of ${hat} in time (${toOneLine(text, 120)}): ${question.default}.`);
    settleQuestion(step, question, { choice: question.default, by: 'deadline' });
  }
}

/**
 * A turn that was interrupted will ask again, and about what it was permitted, too; with every other end its questions, and older ones of its hat (of several turns at once its own), are settled.
 */
export function endQuestions(step: LoopStep, turn: Activation, status: 'succeeded' | 'failed' | 'interrupted'): void {
  if (status === 'interrupted') return change(step, { questions: step.state.questions.filter((question) => !isUsed(question, turn)) });
  const over = step.state.questions.filter((question) => isOf(question, turn));
  if (over.length === 0) return;
  change(step, { questions: step.state.questions.filter((question) => !over.includes(question)) });
  for (const question of over) {
    if (question.answer === undefined) close(step, question, { choice: question.default, by: 'withdrawn' });
  }
}

/** No turn of a dead process has the answers that come from now on. What one was permitted by then, it may have done. */
export function leaveTurns(step: LoopStep): void {
  const { questions } = step.state;
  if (questions.length === 0) return;
  const isOver = ({ purpose, answer }: Question): boolean => purpose === 'permission' && answer !== undefined;
  change(step, { questions: questions.filter((question) => !isOver(question)).map((question) => ({ ...question, ...NO_TURN })) });
}

const NO_TURN = { iteration: 0, attempt: 0 } as const;

/** In a new process the deadlines of open questions are waited for anew. */
export function repeatDeadlines(step: LoopStep): void {
  for (const { answer, dueAt } of step.state.questions) if (answer === undefined) setTimer(step, dueAt, 'question');
}

function replace(step: LoopStep, question: Question): void {
  change(step, { questions: step.state.questions.map((entry) => (entry.id === question.id ? question : entry)) });
}

function close(
  step: LoopStep,
  { id, key, iteration, attempt }: Question,
  { choice, by }: { readonly choice: string; readonly by: QuestionAnswer['by'] | 'withdrawn' },
): void {
  order(step, { type: 'question-close', id, key, iteration, attempt, choice, by });
}
