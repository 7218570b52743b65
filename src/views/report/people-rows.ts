import { toTurnLabel } from '../../core/run/turn.ts';
import { toDurationText } from '../../core/text/duration.ts';
import type { QuestionView, RunView, TellView } from '../fold/run-view.ts';
import type { FactRow } from '../text/fact-rows.ts';
import { toCount, toPlainLine } from '../text/plain-text.ts';

const SHOWN_TELLS = 3;

/** What people are asked now, and how to answer. */
export function toQuestionRows({ questions }: Pick<RunView, 'questions'>, now: number): readonly FactRow[] {
  return questions.filter(({ answer }) => answer === null).map((question) => ({ label: 'Asks', text: toQuestionText(question, now) }));
}

/** What was asked and is open in a run that was stopped: whoever answers before it goes on is heard. None in one that is complete. */
export function toLeftQuestionRows({ questions, end }: Pick<RunView, 'questions' | 'end'>): readonly FactRow[] {
  if (end === null || !mayGoOn(end)) return [];
  const open = questions.filter(({ answer }) => answer === null);
  return open.map((question) => ({ label: 'Asks', text: `${toAskText(question)}, before the run goes on: ${toLapseText(question)}` }));
}

/** `q1 of builder: Drop the table? Answer: ralph answer q1 yes|no` */
function toAskText({ id, hat, text, choices }: QuestionView): string {
  const listed = choices.map((choice) => toPlainLine(choice, 60)).join('|');
  return `${id} of ${hat}: ${toPlainLine(text, 400)} Answer: \`ralph answer ${id} ${listed}\``;
}

/** `if its time is over by then, "no" counts`: of a question of a run that was stopped. */
export function toLapseText({ default: fallback }: Pick<QuestionView, 'default'>): string {
  return `if its time is over by then, "${toPlainLine(fallback, 60)}" counts`;
}

/** Whether what waits for an answer can still get one. */
function mayGoOn({ reason }: NonNullable<RunView['end']>): boolean {
  return reason !== 'completed';
}

/** `q1 of builder: Drop the table? Answer: ralph answer q1 yes|no ("no" counts in 29 min 57 s)` */
function toQuestionText(question: QuestionView, now: number): string {
  const { default: fallback, dueAt } = question;
  const when = dueAt > now ? `in ${toDurationText(dueAt - now)}` : 'as soon as the run goes on';
  return `${toAskText(question)} ("${toPlainLine(fallback, 60)}" counts ${when})`;
}

/** `If nobody answers by 01:45 (in 2 h 00 min), "no" counts.` `clock`: the time of day, for people. */
export function toDeadlineText(
  { default: fallback, dueAt }: Pick<QuestionView, 'default' | 'dueAt'>,
  now: number,
  clock: (at: number) => string,
): string {
  const choice = `"${toPlainLine(fallback, 60)}"`;
  if (dueAt <= now) return `Nobody has answered in time: ${choice} counts.`;
  return `If nobody answers by ${clock(dueAt).slice(0, 5)} (in ${toDurationText(dueAt - now)}), ${choice} counts.`;
}

/** What became of a question: `answered "yes"`, `open: an answer counts when the run goes on`. */
export function toFateText({ answer }: Pick<QuestionView, 'answer'>, { end }: Pick<RunView, 'end'>): string {
  if (answer === null && end === null) return 'waits for an answer';
  if (answer === null)
    return end !== null && mayGoOn(end) ? 'open: an answer counts when the run goes on' : 'not answered: the run ended before';
  const choice = `"${toPlainLine(answer.choice, 60)}"`;
  switch (answer.by) {
    case 'person':
      return `answered ${choice}`;
    case 'deadline':
      return `nobody answered in time: ${choice} counted`;
    case 'withdrawn':
      return 'not answered: its turn ended before';
  }
}

/** What people told and nobody has yet, what they told last, and who has it. */
export function toTellRows({ tells }: Pick<RunView, 'tells'>): readonly FactRow[] {
  return tells
    .filter(({ given }, place) => given === null || place >= tells.length - SHOWN_TELLS)
    .map((tell) => ({ label: 'Told', text: `"${toPlainLine(tell.text, 120)}" (#${tell.seq}): ${toReceiptText(tell)}` }));
}

/** `given to builder in turn 7 after 12 calls of tools` */
export function toReceiptText({ to, when, given }: TellView): string {
  if (given === null) return `waits for ${to ?? 'whoever works'}${when === 'next' ? ', for the next prompt' : ''}`;
  const how = given.call === null ? 'with its prompt' : `after ${toCount(given.call, 'call')} of tools`;
  return `given to ${given.hat} in turn ${toTurnLabel(given)} ${how}`;
}
