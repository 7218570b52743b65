import type { Answered } from '../../core/run/inputs.ts';
import { settleQuestion } from './on-asked.ts';
import { change, hearCommandOnce, type LoopStep, notify } from './step.ts';

/** A person answers a question. What comes too late, or is none of the choices, changes nothing and is told. */
export function onAnswered(step: LoopStep, { id, question: name, choice, steeringOffset }: Answered): void {
  change(step, { steeringOffset });
  if (!hearCommandOnce(step, id)) return;
  const question = step.state.questions.find((entry) => entry.id === name);
  if (question === undefined || question.answer !== undefined) {
    const why = question === undefined ? 'it is not open' : `it was answered already: ${question.answer?.choice}`;
    return notify(step, 'info', 'answer-ignored', `The answer to ${name.slice(0, 40)} does not count: ${why}.`);
  }
  if (!question.choices.includes(choice)) {
    const choices = question.choices.join(', ');
    return notify(step, 'warning', 'answer-ignored', `The answer to ${name} does not count: it is none of ${choices}.`);
  }
  settleQuestion(step, question, { choice, by: 'person' });
}
