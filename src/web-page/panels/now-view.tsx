import { toDurationText } from '../../core/text/duration.ts';
import type { RunFrame, WorkingTurn } from '../../wire/run-frame.ts';
import { AttentionLine } from '../parts/attention-view.tsx';
import type { Act } from '../parts/use-orders.ts';
import { Questions } from './questions.tsx';

/** Everything that the run needs, who works now, and who works next. */
export function NowView({ frame, now, act }: { readonly frame: RunFrame; readonly now: number; readonly act: Act | null }) {
  const [first, ...others] = frame.attentions;
  const isAsked = frame.end === null && frame.questions.some(({ answer }) => answer === null);
  return (
    <section class="now" aria-labelledby="now-title">
      <h2 id="now-title">What it needs</h2>
      {first !== undefined && <AttentionLine attention={isAsked ? { ...first, action: '' } : first} reason={frame.end?.reason ?? null} />}
      {isAsked && <Questions frame={frame} now={now} act={act} />}
      {others
        .filter(({ state }) => state !== 'working')
        .map((attention) => (
          <AttentionLine key={attention.state} attention={attention} reason={frame.end?.reason ?? null} />
        ))}
      {frame.working.map((turn) => (
        <p key={turn.place}>
          <strong>Now:</strong> {toWorkText(turn, now)}
        </p>
      ))}
      {frame.next !== '' && (
        <p>
          <strong>Next:</strong> {frame.next}
        </p>
      )}
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

/** `builder @claude in turn 7 for 2 min 10 s: Bash npm test for 3 s` */
function toWorkText({ hat, backend, iteration, startedAt, tool, lastOutputAt, waitsSince }: WorkingTurn, now: number): string {
  const since = (at: number): string => toDurationText(Math.max(0, now - at));
  const doing =
    waitsSince !== null
      ? `: it has waited for your answer for ${since(waitsSince)}`
      : tool !== null
        ? `: ${tool.name} ${tool.summary} for ${since(tool.since)}`
        : lastOutputAt === null
          ? ''
          : `, last heard of ${since(lastOutputAt)} ago`;
  return `${hat} @${backend} in turn ${iteration} for ${since(startedAt)}${doing}`;
}
