import { useRef, useState } from 'preact/hooks';
import { toDurationText } from '../../core/text/duration.ts';
import { toPlainLine } from '../../views/text/index.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { SteeringReceipt } from '../../wire/steering.ts';
import type { RunSource, SendOrder } from '../data/page-source.ts';
import { toClockText } from '../parts/words.ts';

interface SteerViewProps {
  readonly frame: RunFrame;
  readonly source: RunSource;
  readonly now: number;
}

/** Questions to answer, words to tell, ways to end and to go on; with what became of each. Nothing of it while the past is looked at. */
export function SteerView({ frame, source, now }: SteerViewProps) {
  const [said, setSaid] = useState<readonly string[]>([]);
  const { order } = source;
  const act = (what: string, send: (order: SendOrder) => Promise<SteeringReceipt>): Promise<boolean> => {
    if (order === null) return Promise.resolve(false);
    setSaid((old) => [`${what}: sent.`, ...old].slice(0, 6));
    return send(order).then(
      ({ text }) => {
        setSaid((old) => [`${what}: ${text}`, ...old].slice(0, 6));
        return true;
      },
      (error: unknown) => {
        setSaid((old) => [`${what}: refused. ${error instanceof Error ? error.message : String(error)}`, ...old].slice(0, 6));
        return false;
      },
    );
  };
  const canSteer = order !== null && frame.isNow;
  return (
    <section class="steer" aria-labelledby="steer-title">
      <h2 id="steer-title" class="hidden">
        Steer
      </h2>
      <Questions frame={frame} now={now} act={canSteer ? act : null} />
      {canSteer && <Orders frame={frame} act={act} />}
      <div class="receipts" role="log" aria-label="What became of your orders">
        {said.map((line, index) => (
          <p key={`${line} ${said.length - index}`}>{line}</p>
        ))}
      </div>
      <Told frame={frame} />
    </section>
  );
}

const CHOICE_LENGTH = 120;

type Act = (what: string, send: (order: SendOrder) => Promise<SteeringReceipt>) => Promise<boolean>;

function Questions({ frame, now, act }: { readonly frame: RunFrame; readonly now: number; readonly act: Act | null }) {
  const open = frame.questions.filter(({ answer }) => answer === null);
  return (
    <>
      {open.map((question) => (
        <div key={question.id} class="question">
          <p>
            <strong>
              {question.hat} {question.purpose === 'permission' ? 'wants to' : 'asks'}:
            </strong>{' '}
            {question.text}
          </p>
          <p class="faint">
            Nobody answers: {toChoiceText(question.default)}, at {toClockText(question.dueAt)} (in{' '}
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

/** A button for what cannot be taken back: the first press names the effect, the second does it. */
function Twice({ word, effect, isSure, act }: { word: string; effect: string; isSure?: boolean; act: () => Promise<unknown> }) {
  const [isAsked, setAsked] = useState(false);
  const press = (): void => {
    if (isSure === true || isAsked) {
      setAsked(false);
      void act();
    } else setAsked(true);
  };
  return (
    <button type="button" class={isAsked ? 'danger' : ''} onClick={press} onBlur={() => setAsked(false)}>
      {isAsked ? `${effect}? Press again` : word}
    </button>
  );
}

function Orders({ frame, act }: { readonly frame: RunFrame; readonly act: Act }) {
  const isOver = frame.end !== null || frame.state === 'gone';
  return (
    <div class="orders">
      {!isOver && <TellForm frame={frame} act={act} />}
      {!isOver && (
        <>
          <Twice
            word="Stop after this turn"
            effect="End the run when the turn has ended"
            act={() => act('Stop', (order) => order('stop', { how: 'after' }))}
          />
          <Twice
            word="Stop now"
            effect="End the turn and the run at once"
            act={() => act('Stop now', (order) => order('stop', { how: 'now' }))}
          />
        </>
      )}
      {isOver && frame.end?.reason !== 'completed' && (
        <Twice word="Resume" effect="Go on with this run" act={() => act('Resume', (order) => order('resume', {}))} />
      )}
    </div>
  );
}

function TellForm({ frame, act }: { readonly frame: RunFrame; readonly act: Act }) {
  const [text, setText] = useState('');
  const [to, setTo] = useState('');
  const [when, setWhen] = useState<'now' | 'next'>('next');
  const isSending = useRef(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (text.trim() === '' || isSending.current) return;
    isSending.current = true;
    const isSent = await act('Tell', (order) => order('tell', { text, when, ...(to !== '' && { to }) }));
    isSending.current = false;
    if (isSent) setText('');
  };
  return (
    <form class="tell" onSubmit={(event) => void send(event)}>
      <label>
        Tell <textarea id="tell-text" rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <label>
        to{' '}
        <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
          <option value="">whoever works</option>
          {frame.hats.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <label>
        when{' '}
        <select value={when} onChange={(event) => setWhen(event.currentTarget.value === 'now' ? 'now' : 'next')}>
          <option value="next">with the next prompt</option>
          <option value="now">now, while it works</option>
        </select>
      </label>
      <button type="submit" disabled={text.trim() === ''}>
        Tell
      </button>
    </form>
  );
}

/** What people told, each with its receipt. */
function Told({ frame }: { readonly frame: RunFrame }) {
  if (frame.tells.length === 0) return null;
  return (
    <details open={frame.tells.length <= 3}>
      <summary>Told ({frame.tells.length})</summary>
      <ul class="told">
        {frame.tells.toReversed().map(({ id, text, to, receipt }) => (
          <li key={id}>
            {to !== null && <strong>to {to}: </strong>}
            {text} <span class="faint">{receipt}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
