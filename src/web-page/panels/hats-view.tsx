import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import type { RunFrame } from '../../wire/run-frame.ts';

/** What each hat has done and used. A turn under way counts as long as it has taken; one whose process is gone, as long as that was seen. */
export function HatsView({ frame, now }: { readonly frame: RunFrame; readonly now: number }) {
  const until = frame.state === 'gone' ? frame.at : now;
  const toMs = ({ id, durationMs }: RunFrame['hats'][number]): number =>
    frame.working.filter(({ hat }) => hat === id).reduce((sum, { startedAt }) => sum + Math.max(0, until - startedAt), durationMs);
  return (
    <table class="hats">
      <thead>
        <tr>
          <th scope="col">hat</th>
          <th scope="col">agents</th>
          <th scope="col">turns</th>
          <th scope="col">failed</th>
          <th scope="col">time</th>
          <th scope="col">cost</th>
        </tr>
      </thead>
      <tbody>
        {frame.hats.map((hat) => (
          <tr key={hat.id} class={hat.isWorking ? 'working' : ''}>
            <th scope="row">{hat.isWorking ? `▶ ${hat.id}` : hat.id}</th>
            <td>{hat.backends.join(', ')}</td>
            <td>{hat.turns}</td>
            <td>{hat.failed}</td>
            <td>{hat.turns === 0 ? '' : toDurationText(toMs(hat))}</td>
            <td>{hat.turns === 0 ? '' : toUsdText(hat.costUsd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
