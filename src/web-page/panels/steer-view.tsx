import { useRef, useState } from 'preact/hooks';
import type { RunFrame } from '../../wire/run-frame.ts';
import { Twice } from '../parts/twice.tsx';
import type { Act, Orders as OrdersOf } from '../parts/use-orders.ts';

interface SteerViewProps {
  readonly frame: RunFrame;
  readonly orders: OrdersOf;
}

/** Words to tell, ways to end and to go on; with what became of each. Nothing of it while the past is looked at. */
export function SteerView({ frame, orders: { act, said } }: SteerViewProps) {
  return (
    <section class="steer" aria-labelledby="steer-title">
      <h2 id="steer-title" class="hidden">
        Steer
      </h2>
      {act !== null && <Orders frame={frame} act={act} />}
      <div class="receipts" role="log" aria-label="What became of your orders">
        {said.map((line, index) => (
          <p key={`${line} ${said.length - index}`}>{line}</p>
        ))}
      </div>
      <Told frame={frame} />
    </section>
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
            id="stop"
            word="Stop after this turn"
            title="The turn goes on to its end; no other one begins"
            effect="End the run when the turn has ended"
            act={() => act('Stop', (order) => order('stop', { how: 'after' }))}
          />
          <Twice
            word="Stop now"
            title="Ends the turn and the run at once: what the turn has not finished is lost"
            effect="End the run and lose what the turn has not finished"
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
        <select id="tell-when" value={when} onChange={(event) => setWhen(event.currentTarget.value === 'now' ? 'now' : 'next')}>
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
