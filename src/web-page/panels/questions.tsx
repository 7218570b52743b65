import { toDurationText } from '../../core/text/duration.ts';
import { toPlainLine } from '../../views/text/index.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import { Twice } from '../parts/twice.tsx';
import type { Act } from '../parts/use-orders.ts';
import { toClockText } from '../parts/words.ts';

const CHOICE_LENGTH = 120;

/** What people are asked: what counts if nobody answers, and when. */
export function Questions({ frame, now, act }: { readonly frame: RunFrame; readonly now: number; readonly act: Act | null }) {
  const open = frame.questions.filter(({ answer }) => answer === null);
  return (
    <>
      {open.map((question) => (
        <div key={question.id} class="question">
          {!frame.attention.evidence.includes(question.text) && (
            <p>
              <strong>
                {question.hat} {question.purpose === 'permission' ? 'wants to' : 'asks'}:
              </strong>{' '}
              {question.text}
            </p>
          )}
          <p>
            If nobody answers, <strong>{toChoiceText(question.default)}</strong> counts at {toClockText(question.dueAt)} (in{' '}
            {toDurationText(Math.max(0, question.dueAt - now))}).
          </p>
          {act !== null &&
            question.choices.map((choice) => (
              <Twice
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

/** As it is read; the run is sent it as it is. */
function toChoiceText(choice: string): string {
  return toPlainLine(choice, CHOICE_LENGTH);
}
