import { toDeadlineText, toLapseText } from '../../views/report/people-rows.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import { Twice } from '../parts/twice.tsx';
import type { Act } from '../parts/use-orders.ts';
import { toTimeOfDay } from '../parts/words.ts';

const CHOICE_LENGTH = 120;

/** What people are asked: what counts if nobody answers, and when. */
export function Questions({ frame, now, act }: { readonly frame: RunFrame; readonly now: number; readonly act: Act | null }) {
  const open = frame.questions.filter(({ answer }) => answer === null);
  return (
    <>
      {open.map((question, at) => (
        <div key={question.id} class="question">
          {!frame.attention.evidence.includes(question.text) && (
            <p>
              <strong>
                {question.hat} {question.purpose === 'permission' ? 'wants to' : 'asks'}:
              </strong>{' '}
              {question.text}
            </p>
          )}
          <p>{frame.end === null ? toDeadlineText(question, now, toTimeOfDay) : `${question.fate}; ${toLapseText(question)}.`}</p>
          {act === null && frame.isNow && !frame.attention.action.includes(`ralph answer ${question.id} `) && (
            <p>
              Answer it where the run is: <code>{toCommand(question)}</code>
            </p>
          )}
          {act !== null &&
            question.choices.map((choice, index) => (
              <Twice
                {...(at === 0 && index === 0 && { id: 'answers' })}
                key={choice}
                word={toChoiceText(choice)}
                effect={`Answer ${toChoiceText(choice)}`}
                isSure={question.purpose !== 'permission' || choice === question.default}
                act={() =>
                  act(`Answer to ${question.id}`, (order) => order('answer', { question: question.id, choice, seq: frame.lastSeq }))
                }
              />
            ))}
        </div>
      ))}
    </>
  );
}

/** What people were asked before, and what became of it. */
export function PastQuestions({ frame }: { readonly frame: RunFrame }) {
  const over = frame.questions.filter(({ answer }) => answer !== null || frame.end?.reason === 'completed');
  if (over.length === 0) return null;
  return (
    <details open={over.length <= 3}>
      <summary>Asked ({over.length})</summary>
      <ul class="asked">
        {over.toReversed().map(({ id, hat, text, fate }) => (
          <li key={id}>
            <strong>{hat}:</strong> {text} <span class="fate">{fate}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What is typed where no button answers: in a file, and where nobody steers. */
function toCommand({ id, choices }: RunFrame['questions'][number]): string {
  return `ralph answer ${id} ${choices.map((choice) => toPlainLine(choice, 60)).join('|')}`;
}

/** As it is read; the run is sent it as it is. */
function toChoiceText(choice: string): string {
  return toPlainLine(choice, CHOICE_LENGTH);
}
