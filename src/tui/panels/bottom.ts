import type { TimelineSlot } from '../../wire/timeline-slot.ts';
import type { Line, TonedText } from '../cells/screen.ts';
import { HINTS } from '../keys.ts';
import type { Scene } from '../scene.ts';
import type { Typing } from '../view-state.ts';
import { span } from './words.ts';

/** Columns of a timeline, without its ends. */
export function toTimelineColumns(columns: number): number {
  return Math.max(1, columns - 2);
}

/** The whole run on a line: the first letter of each hat where it takes over, `✗` where something was red or failed, `■` where a turn was stopped, and where the person is. */
export function toTimelineLine({ timeline, frame }: Pick<Scene, 'timeline' | 'frame'>, columns: number): Line {
  const room = toTimelineColumns(columns);
  // A short run is stretched over the line.
  const edge = (slot: number): number => Math.floor((slot * room) / Math.max(1, timeline.length));
  let last: string | null = null;
  const cells = timeline.flatMap((slot, index): readonly TonedText[] => {
    const isTaken = slot.hat !== null && slot.hat !== last;
    last = slot.hat ?? last;
    const isHere = frame.seq >= slot.fromSeq && frame.seq <= slot.toSeq;
    const shown = toSlotSpan(slot, isTaken);
    const width = edge(index + 1) - edge(index);
    const rest = span('─'.repeat(Math.max(0, width - 1)), shown.tone);
    return isHere ? [{ text: shown.text === '─' ? '█' : shown.text, tone: 'chosen' }, rest] : [shown, rest];
  });
  return [span('├', 'faint'), ...cells, span(frame.isNow && frame.end === null ? '▸' : '┤', 'faint')];
}

function toSlotSpan({ hat, mark }: TimelineSlot, isTaken: boolean): TonedText {
  if (mark === 'failed' || mark === 'red') return span('✗', 'bad');
  if (mark === 'stopped') return span('■', 'warning');
  if (mark === 'none' || hat === null) return span('─', 'faint');
  return isTaken ? span([...hat][0] ?? '─', 'name') : span('─', 'good');
}

/** The last row: what is being typed, what is asked, what came of the last order, else the keys. */
export function toKeyLine({ state, frame, whyNot }: Scene): Line {
  if (state.asking !== null) return toAskingLine(state.asking, frame.end === null);
  if (state.typing !== null) return toTypingLine(state.typing, frame);
  if (state.message.text !== '') return [span(` ${state.message.text}`, state.message.isBad ? 'warning' : 'good')];
  const asks = frame.questions.some(({ answer }) => answer === null);
  const keys = HINTS.flatMap(({ hint, steers, command }) => {
    const isOver = command === 'answer' ? !asks || frame.end?.reason === 'completed' : frame.end !== null;
    const isOff = steers === true && (whyNot !== null || isOver);
    if (hint === undefined || isOff || (command === 'live' && frame.isNow)) return [];
    return [span(` ${hint[0]}`, 'name'), span(` ${hint[1]} `)];
  });
  return [...(state.filter === '' ? [] : [span(` /${state.filter} `, 'urgent'), span(' esc all ', 'faint')]), ...keys];
}

function toAskingLine(asking: 'stop' | 'interrupt', isUnderWay: boolean): Line {
  const leave = asking === 'interrupt' ? [span(' q', 'name'), span(isUnderWay ? ' leave it running ' : ' leave ')] : [];
  if (!isUnderWay) return [...leave, span(' esc', 'name'), span(' back')];
  const now = asking === 'interrupt' ? ' n, ctrl+c' : ' n';
  return [
    span(asking === 'interrupt' ? ' What now? ' : ' Stop it? ', 'urgent'),
    ...leave,
    span(' a', 'name'),
    span(' stop after this turn '),
    span(now, 'name'),
    span(' stop now '),
    span(' esc', 'name'),
    span(' back'),
  ];
}

const PROMPTS: Readonly<Record<Typing['what'], string>> = {
  filter: ' / ',
  'tell-next': ' tell whoever works next: ',
  'tell-now': ' tell whoever works now: ',
  answer: ' answer ',
};

function toTypingLine({ what, text, question }: Typing, { questions }: Scene['frame']): Line {
  const asked = questions.find(({ id }) => id === question);
  const choices = asked === undefined ? '' : `${asked.id}, ${asked.choices.map((choice, at) => `${at + 1} ${choice}`).join('  ')}: `;
  // The end of a long text is what is being typed.
  return [span(`${PROMPTS[what]}${choices}`, 'name'), span(text.length > 60 ? `…${text.slice(-58)}` : text), span(' ', 'chosen')];
}
