import { toDurationText } from '../../core/text/duration.ts';
import type { Line } from '../cells/screen.ts';
import type { PanelContent, Room, Scene } from '../scene.ts';
import { fitLines, span, toClockText, toStateSpan, wrapCells } from './words.ts';

/** What the run needs of its person: the most urgent in full, everything else on a line. */
export function toAttentionPanel({ frame, now, whyNot }: Scene, { columns, rows }: Room): PanelContent {
  const [first, ...others] = frame.attentions;
  const open = frame.questions.find(({ answer }) => answer === null);
  const age = (since: number): string => toClockText((frame.isNow ? now : frame.at) - since);
  const lines: Line[] = [];
  if (first !== undefined) {
    const evidence = wrapCells(`${first.evidence} (${age(first.since)})`, columns - 2);
    lines.push([toStateSpan(first), span(` ${others.length === 0 ? '' : `and ${others.length} more`}`, 'faint')]);
    const isQuestion = first.state === 'needs_you' && open !== undefined && frame.end === null;
    const action = isQuestion
      ? toAnswerText(open, frame.isNow ? now : frame.at, whyNot)
      : wrapCells(first.action, columns - 2).map((text) => [span(`  ${text}`, 'faint')]);
    const kept = evidence.slice(0, Math.max(1, rows - 1 - Math.min(action.length, 1)));
    lines.push(...kept.map((text) => [span(`  ${text}`)]), ...action);
  }
  for (const other of others) lines.push([toStateSpan(other), span(` ${other.evidence}`)]);
  return { title: '', lines: fitLines(lines, rows), chosen: -1 };
}

function toAnswerText(
  { choices, default: fallback, dueAt }: Scene['frame']['questions'][number],
  now: number,
  whyNot: string | null,
): readonly Line[] {
  const left = dueAt - now;
  const when = left > 0 ? `in ${toDurationText(left)}` : 'now';
  const shown = choices.map((choice, at) => `${at + 1} ${choice}`).join('  ');
  return [[span(whyNot === null ? '  a answers: ' : '  choices: ', 'name'), span(shown), span(`; ${fallback} counts ${when}`, 'faint')]];
}

/** How many rows it would like to have. */
export function wishAttention({ frame }: Pick<Scene, 'frame'>, columns: number): number {
  const [first, ...others] = frame.attentions;
  if (first === undefined) return 1;
  return (
    1 +
    wrapCells(`${first.evidence} (00:00)`, columns - 2).length +
    Math.max(1, wrapCells(first.action, columns - 2).length) +
    others.length
  );
}
