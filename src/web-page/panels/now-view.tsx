import { toTurnLabel } from '../../core/run/turn.ts';
import { toDurationText } from '../../core/text/duration.ts';
import type { Attention } from '../../wire/attention.ts';
import type { RunFrame, WorkingTurn } from '../../wire/run-frame.ts';
import { AttentionLine, WithCommands } from '../parts/attention-view.tsx';
import type { Act } from '../parts/use-orders.ts';
import { PastQuestions, Questions } from './questions.tsx';

/** Everything that the run needs, who works now, and who works next. */
export function NowView({ frame, now, act }: { readonly frame: RunFrame; readonly now: number; readonly act: Act | null }) {
  // An answer to a run that was stopped is heard when it goes on.
  const isAsked = frame.end?.reason !== 'completed' && frame.questions.some(({ answer }) => answer === null);
  const said = frame.said.filter(({ state }) => state !== 'gate_red').map((attention) => withoutButton(attention, act));
  const [first, ...others] = said;
  return (
    <section class="now" aria-labelledby="now-title">
      <h2 id="now-title">What it needs</h2>
      {first !== undefined && <AttentionLine attention={first} frame={frame} />}
      {isAsked && <Questions frame={frame} now={now} act={act} />}
      {others
        .filter(({ state }) => state !== 'working')
        .map((attention) => (
          <AttentionLine key={attention.state} attention={attention} frame={frame} />
        ))}
      {frame.working.map((turn) => (
        <p key={turn.place}>
          <strong>Now:</strong> {toWorkText(turn, now)}
        </p>
      ))}
      {frame.programs.map(({ text, waits, since }) => (
        <p key={text}>
          <strong>{waits ? 'Waits' : 'Now'}:</strong> {text} for {toDurationText(Math.max(0, now - since))}
        </p>
      ))}
      {frame.next !== '' && (
        <p>
          <strong>Next:</strong> <WithCommands text={frame.next} />
        </p>
      )}
      {frame.said
        .filter(({ state }) => state === 'gate_red')
        .map((attention) => (
          <AttentionLine key={attention.state} attention={attention} frame={frame} />
        ))}
      <PastQuestions frame={frame} />
      {frame.notices.length > 0 && (
        <details>
          <summary>Notices ({frame.notices.length})</summary>
          <ul>
            {frame.notices.toReversed().map(({ at, level, text }, index) => (
              <li key={`${at} ${index}`}>
                {level}: {text}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** Who watches is not told to watch; the command for what a button of the page does is not said beside it. */
function withoutButton(attention: Attention, act: Act | null): Attention {
  const isButton = act !== null && /^(?:Answer|Go on) with `[^`]*`\.$/.test(attention.action) && !attention.action.includes(' --');
  return attention.state === 'working' || isButton ? { ...attention, action: '' } : attention;
}

/** `builder @claude on w1 in turn 7 for 2 min 10 s: Bash npm test for 3 s` */
function toWorkText(turn: WorkingTurn, now: number): string {
  const { hat, about, backend, worker, waitsForWorker, iteration, attempt, startedAt, tool, lastOutputAt, waitsSince } = turn;
  const since = (at: number): string => toDurationText(Math.max(0, now - at));
  const doing =
    waitsSince !== null
      ? `: it has waited for your answer for ${since(waitsSince)}`
      : tool !== null
        ? `: ${tool.name} ${tool.summary} for ${since(tool.since)}`
        : lastOutputAt === null
          ? ''
          : `, last heard of ${since(lastOutputAt)} ago`;
  const where = worker === null ? (waitsForWorker ? ' waits for a worker' : '') : ` on ${worker}`;
  const which = about === '' ? '' : ` (${about})`;
  return `${hat}${which} @${backend}${where} in turn ${toTurnLabel({ iteration, attempt })} for ${since(startedAt)}${doing}`;
}
