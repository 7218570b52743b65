import { toTextCells } from '../../core/text/text-cells.ts';
import { toDeadlineText } from '../../views/report/people-rows.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import type { Attention } from '../../wire/attention.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { Line } from '../cells/screen.ts';
import type { PanelContent, Room, Scene } from '../scene.ts';
import { fitLines, span, toClockText, toStateSpan, wrapCells } from './words.ts';

/** What the run needs of its person: the most urgent in full, everything else on a line. */
export function toAttentionPanel(scene: Scene, { columns, rows }: Room): PanelContent {
  const { frame, now } = scene;
  const [first, ...others] = frame.said;
  if (first === undefined) return { title: '', lines: [], chosen: -1 };
  const said = toSaidLines(frame, first, toClockText((frame.isNow ? now : frame.at) - first.since), columns);
  const asked = toAnswerLines(scene, first, columns);
  // Where not all has room, the question and how to answer it have.
  const answer = said.length + asked.length <= rows ? asked : asked.slice(-1);
  const whole = [...toOtherLines(frame, others, columns), ...toTellLines(frame)];
  const action = answer.length > 0 ? [] : toActionLines(first, columns);
  const least = others.length + toTellLines(frame).length;
  // What to do by hand gives way first, then what else there is, then the rest of a long sentence; who has to answer sees how.
  const kept = [...fitSaid(said, rows - answer.length - (rows < 5 && answer.length > 0 ? 0 : Math.min(least, 1))), ...answer];
  const spare = rows - kept.length;
  const rest = whole.length <= spare ? whole : [...others.map((other) => toOtherLine(frame, other)), ...toTellLines(frame)];
  const more = action.length + rest.length <= spare ? [...action, ...rest] : rest;
  return { title: '', lines: [...kept, ...fitLines(more, spare)].slice(0, rows), chosen: -1 };
}

/** `! NEEDS YOU sign in to claude. (0:03)` */
function toSaidLines(frame: RunFrame, attention: Attention, age: string, columns: number): readonly Line[] {
  return toStateLines(frame, { ...attention, evidence: `${attention.evidence}${age === '' ? '' : ` (${age})`}` }, columns);
}

function toStateLines(frame: RunFrame, attention: Attention, columns: number): readonly Line[] {
  const state = toStateSpan(attention, frame);
  const [first = '', ...more] = wrapCells(`${state.text} ${attention.evidence}`, columns);
  return [[state, span(first.slice(state.text.length))], ...more.map((text) => [span(text)])];
}

function toOtherLine(frame: RunFrame, other: Attention): Line {
  return [toStateSpan(other, frame), span(` ${other.evidence}`)];
}

function toOtherLines(frame: RunFrame, others: readonly Attention[], columns: number): readonly Line[] {
  return others.flatMap((other) => toStateLines(frame, other, columns));
}

function fitSaid(lines: readonly Line[], room: number): readonly Line[] {
  if (lines.length <= room || room < 1) return lines.slice(0, Math.max(1, room));
  const kept = lines.slice(0, room);
  return [...kept.slice(0, -1), [...(kept.at(-1) ?? []), span(' …')]];
}

/** Who watches is not told to watch. */
function toActionLines({ state, action }: Attention, columns: number): readonly Line[] {
  return state === 'working' ? [] : wrapCells(action, columns - 2).map((text) => [span(`  ${text}`, 'faint')]);
}

/** What was told last, and what became of it. */
function toTellLines({ tells, end }: RunFrame): readonly Line[] {
  const last = tells.at(-1);
  if (last === undefined || end !== null) return [];
  return [[span('told ', 'faint'), span(toPlainLine(last.text, 120)), span(`: ${last.receipt}`, 'faint')]];
}

/** Not dimmed: what counts when nobody does anything, and how to do something. */
function toAnswerLines({ frame, now, clock, whyNot }: AnswerScene, { state }: Attention, columns: number): readonly Line[] {
  const open = frame.questions.find(({ answer }) => answer === null);
  if (open === undefined || state !== 'needs_you' || frame.end !== null) return [];
  const deadline = toDeadlineText(open, frame.isNow ? now : frame.at, clock);
  const choices = open.choices.map((choice, at) => `${at + 1} ${toPlainLine(choice, 60)}`).join(', ');
  const [key, words] = whyNot === null ? ['press a', `, then ${choices}`] : ['choices', `: ${choices}`];
  const indent = key.length + toTextCells(words) + 2 <= columns ? '  ' : '';
  const how: Line = [span(`${indent}${key}`, 'name'), span(words)];
  return [...wrapCells(deadline, columns - 2).map((text): Line => [span(`  ${text}`)]), how];
}

type AnswerScene = Pick<Scene, 'frame' | 'now' | 'clock' | 'whyNot'>;

/** How many rows it would like to have. */
export function wishAttention(scene: AnswerScene, columns: number): number {
  const { frame } = scene;
  const [first, ...others] = frame.said;
  if (first === undefined) return 1;
  const answer = toAnswerLines(scene, first, columns).length;
  return (
    toSaidLines(frame, first, '00:00', columns).length +
    (answer > 0 ? answer : toActionLines(first, columns).length) +
    toOtherLines(frame, others, columns).length +
    toTellLines(frame).length
  );
}
