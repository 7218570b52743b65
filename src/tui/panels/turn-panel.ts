import { toUsdText } from '../../core/text/duration.ts';
import type { Line } from '../cells/screen.ts';
import type { PanelContent, Room, Scene } from '../scene.ts';
import { TURN_TABS } from '../view-state.ts';
import { span, toClockText, toTookText } from './words.ts';

/** The chosen turn: what it was asked, said, changed, or called. */
export function toTurnPanel({ detail, text, state, frame, now }: Scene, { rows }: Room): PanelContent {
  if (detail === null)
    return { title: '', lines: [[span(state.filter === '' ? 'No turn has begun.' : `No turn has ${state.filter}.`, 'faint')]], chosen: -1 };
  const { label, hat, backend, worker, durationMs, startedAt, costUsd, mark, status } = detail.row;
  const took = durationMs === null ? toClockText((frame.isNow ? now : frame.at) - startedAt) : toTookText(durationMs);
  const cost = costUsd === null ? '' : ` ${toUsdText(costUsd)}`;
  const tabs: Line = TURN_TABS.flatMap((tab) => [tab === state.tab ? span(`[${tab}]`, 'heading') : span(` ${tab} `, 'faint')]);
  const note = text.note === '' ? [] : [span(`  ${text.note}`, 'faint')];
  return {
    title: `${label} ${hat} @${backend}${worker === null ? '' : ` on ${worker}`} ${took}${cost}${status === 'running' ? '' : ` ${mark === 'stopped' ? mark : status}`}`,
    lines: [[...tabs, ...note], ...text.lines.slice(0, Math.max(0, rows - 1))],
    chosen: -1,
  };
}
