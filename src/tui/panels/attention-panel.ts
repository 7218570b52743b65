import { toPlainLine } from '../../views/text/index.ts';
import type { Attention } from '../../wire/attention.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { Line } from '../cells/screen.ts';
import type { PanelContent, Room, Scene } from '../scene.ts';
import { fitLines, span, toClockText, toStateSpan, wrapCells } from './words.ts';

/** What the run needs of its person: the most urgent in full, everything else on a line. */
export function toAttentionPanel(scene: Scene, { columns, rows }: Room): PanelContent {
  const { frame, now } = scene;
  const { first, others } = listStates(frame);
  if (first === undefined) return { title: '', lines: [], chosen: -1 };
  const said = toSaidLines(first, toClockText((frame.isNow ? now : frame.at) - first.since), columns);
  const answer = toAnswerLines(scene, first);
  const rest = [...others.map((other): Line => [toStateSpan(other), span(` ${other.evidence}`)]), ...toTellLines(frame)];
  const action = answer.length > 0 ? [] : toActionLines(first, columns);
  // What to do by hand gives way first, then what else there is, then the rest of a long sentence; who has to answer sees how.
  const kept = [...fitSaid(said, rows - answer.length - (rows < 5 ? 0 : Math.min(rest.length, 1))), ...answer];
  const spare = rows - kept.length;
  const more = action.length + rest.length <= spare ? [...action, ...rest] : rest;
  return { title: '', lines: [...kept, ...fitLines(more, spare)].slice(0, rows), chosen: -1 };
}

/** That a run has ended is said by the header; what it needs is not said twice. */
function listStates({ attentions }: RunFrame): { readonly first: Attention | undefined; readonly others: readonly Attention[] } {
  const [first, ...others] = attentions;
  return { first, others: others.filter(({ state }) => state !== 'done') };
}

/** `✗ GATE RED tests failed in iteration 2. (0:03)` */
function toSaidLines(attention: Attention, age: string, columns: number): readonly Line[] {
  const state = toStateSpan(attention);
  const [first = '', ...more] = wrapCells(`${state.text} ${attention.evidence} (${age})`, columns);
  return [[state, span(first.slice(state.text.length))], ...more.map((text) => [span(text)])];
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

function toAnswerLines({ frame, now, whyNot }: Scene, { state }: Attention): readonly Line[] {
  const open = frame.questions.find(({ answer }) => answer === null);
  if (open === undefined || state !== 'needs_you' || frame.end !== null) return [];
  return toAnswerText(open, frame.isNow ? now : frame.at, whyNot);
}

function toAnswerText(
  { choices, default: fallback, dueAt }: Scene['frame']['questions'][number],
  now: number,
  whyNot: string | null,
): readonly Line[] {
  const left = dueAt - now;
  const when = left > 0 ? `in ${toClockText(left)}` : 'now';
  const shown = choices.map((choice, at) => `${at + 1} ${choice}`).join('  ');
  return [[span(whyNot === null ? '  a answers: ' : '  choices: ', 'name'), span(shown), span(`; ${fallback} counts ${when}`, 'faint')]];
}

/** How many rows it would like to have. */
export function wishAttention({ frame }: Pick<Scene, 'frame'>, columns: number): number {
  const { first, others } = listStates(frame);
  if (first === undefined) return 1;
  return (
    toSaidLines(first, '00:00', columns).length +
    Math.max(1, toActionLines(first, columns).length) +
    others.length +
    toTellLines(frame).length
  );
}
