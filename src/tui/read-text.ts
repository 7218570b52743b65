import type { WatchedRun } from '../views/frame/watched-run.ts';
import type { TurnDetail } from '../wire/turn-row.ts';
import type { ByteRange, TextPiece, TurnIndex } from '../wire/turn-texts.ts';
import type { Line } from './cells/screen.ts';
import type { Tone } from './cells/tones.ts';
import { span, toClockText, wrapCells } from './panels/words.ts';
import { NO_TEXT, type Room, type ShownText } from './scene.ts';
import type { TurnTab } from './view-state.ts';

/** A text that is wanted for the screen. */
export interface TextOrder {
  readonly detail: TurnDetail;
  readonly tab: TurnTab;
  readonly scroll: number;
  /** In lower case; empty: everything. */
  readonly filter: string;
  /** When it is; `null`: now. An earlier moment shows a running turn as far as it was then. */
  readonly at: number | null;
  readonly now: number;
  readonly room: Room;
}

/** Reads what is shown of turns. */
export interface TextReader {
  readonly read: (order: TextOrder) => ShownText;
  readonly readGate: (number: number, scroll: number, room: Room) => ShownText;
}

/** Of what grows no more than its end is looked at, unless somebody scrolls. */
const TAIL_BYTES = 64 * 1024;
const SCROLL_BYTES = 1024 * 1024;
const INDEX_MS = 500;

/**
 * A reader over the files of a run.
 *
 * @param onReady called when something that took longer is there
 */
export function createTextReader(run: Pick<WatchedRun, 'text' | 'diff' | 'index' | 'evidence'>, onReady: () => void): TextReader {
  const readDiff = createDiffReader(run, onReady);
  const readIndex = createIndexReader(run);
  const once = createLineCache();
  const readPrompt = (order: TextOrder): readonly Line[] => {
    const piece = run.text(order.detail.row.name, 'prompt', { from: 0, count: SCROLL_BYTES });
    return piece === null ? [[span('Its prompt was not kept.', 'faint')]] : toTextLines(piece.text, order);
  };
  const read: TextReader['read'] = (order) => {
    const { detail, tab, at, scroll, room } = order;
    const { name, status } = detail.row;
    if (tab === 'calls') return fromTop(toCallLines(readIndex(name, order.now), order), order);
    if (tab === 'prompt')
      return fromTop(
        once(order, null, () => readPrompt(order)),
        order,
      );
    if (tab === 'diff') {
      const patch = readDiff(name, status === 'running');
      return fromTop(
        once(order, patch, () => toDiffLines(patch, order)),
        order,
      );
    }
    const limit = at !== null && status === 'running' ? toGrown(readIndex(name, order.now), at) : null;
    const count = scroll > 0 || order.filter !== '' ? SCROLL_BYTES : Math.min(TAIL_BYTES, room.rows * room.columns * 3 + 1024);
    const range: ByteRange = limit === null ? { from: -count, count } : { from: Math.max(0, limit - count), count: Math.min(count, limit) };
    const piece = run.text(name, 'output', range);
    if (piece === null) return missing(status === 'running' ? 'Nothing was said so far.' : 'It said nothing that was kept.');
    return fromEnd(toTextLines(toWholeLines(piece), order), order, limit === null ? '' : 'as far as it was then');
  };
  return {
    read,
    readGate: (number, scroll, room) => {
      const piece = run.evidence(number, { from: -SCROLL_BYTES, count: SCROLL_BYTES });
      if (piece === null) return missing('Its output was not kept.');
      return fromTop(
        wrapCells(piece.text, room.columns).map((text) => [span(text)]),
        { scroll, room },
      );
    },
  };
}

/** Lines of what does not change are made once, not in each frame. */
function createLineCache() {
  let last: { readonly key: string; readonly of: string | null | undefined; readonly lines: readonly Line[] } | null = null;
  return ({ detail, tab, filter, room }: TextOrder, of: string | null | undefined, make: () => readonly Line[]): readonly Line[] => {
    const key = `${detail.row.name} ${detail.row.status} ${tab} ${room.columns} ${filter}`;
    if (last?.key !== key || last.of !== of) last = { key, of, lines: make() };
    return last.lines;
  };
}

function missing(text: string): ShownText {
  return { ...NO_TEXT, lines: [[span(text, 'faint')]] };
}

/** A piece that begins in the midst of a line begins with the next one, where there is one. */
function toWholeLines({ text, from }: TextPiece): string {
  const end = from === 0 ? -1 : text.indexOf('\n');
  return end < 0 || end === text.length - 1 ? text : text.slice(end + 1);
}

function toTextLines(text: string, { filter, room }: TextOrder): readonly Line[] {
  const trimmed = text.replace(/\s+$/, '');
  const wanted = filter === '' ? trimmed : keepLines(trimmed, filter);
  return wrapCells(wanted, room.columns).map((line) => [span(line)]);
}

function keepLines(text: string, filter: string): string {
  return text
    .split('\n')
    .filter((line) => line.toLowerCase().includes(filter))
    .join('\n');
}

type TextScroll = Pick<TextOrder, 'scroll' | 'room'>;

function fromTop(lines: readonly Line[], { scroll, room }: TextScroll): ShownText {
  const maxScroll = Math.max(0, lines.length - room.rows);
  const first = Math.min(scroll, maxScroll);
  const note = maxScroll === 0 ? '' : `${first + 1} to ${Math.min(lines.length, first + room.rows)} of ${lines.length}`;
  return { lines: lines.slice(first, first + room.rows), maxScroll, note };
}

function fromEnd(lines: readonly Line[], { scroll, room }: TextScroll, when: string): ShownText {
  const maxScroll = Math.max(0, lines.length - room.rows);
  const last = lines.length - Math.min(scroll, maxScroll);
  const note = scroll === 0 ? when : `${Math.min(scroll, maxScroll)} lines before the end`;
  return { lines: lines.slice(Math.max(0, last - room.rows), last), maxScroll, note };
}

/** How long the text was at a moment. */
function toGrown({ growth }: TurnIndex, at: number): number | null {
  return growth.length === 0 ? null : (growth.findLast((step) => step.at <= at)?.bytes ?? 0);
}

const DIFF_TONES: readonly (readonly [start: string, tone: Tone])[] = [
  ['+++', 'heading'],
  ['---', 'heading'],
  ['diff ', 'heading'],
  ['@@', 'name'],
  ['+', 'good'],
  ['-', 'bad'],
];

function toDiffLines(patch: string | null | undefined, { filter, detail, room }: TextOrder): readonly Line[] {
  if (patch === undefined) return [[span('The diff is being made …', 'faint')]];
  if (patch === null || patch.trim() === '') {
    const text =
      detail.row.status === 'running'
        ? 'There is a diff once the turn has ended.'
        : patch === null
          ? 'No diff of it was kept.'
          : 'It changed nothing.';
    return [[span(text, 'faint')]];
  }
  const lines = (filter === '' ? patch : keepLines(patch, filter)).trimEnd().split('\n');
  return lines.flatMap((line) => {
    const tone = DIFF_TONES.find(([start]) => line.startsWith(start))?.[1] ?? 'plain';
    return wrapCells(line, room.columns).map((text) => [span(text, tone)]);
  });
}

function toCallLines({ calls, isCut }: TurnIndex, { filter, at, now, detail }: TextOrder): readonly Line[] {
  const moment = at ?? now;
  const shown = calls.filter(({ startedAt, name, summary }) => startedAt <= moment && `${name} ${summary}`.toLowerCase().includes(filter));
  if (shown.length === 0) return [[span('No call of a tool was seen.', 'faint')]];
  const lines = shown.map(({ name, summary, startedAt, endedAt, ok }): Line => {
    const hasEnded = endedAt !== null && endedAt <= moment;
    const isOver = hasEnded || (detail.row.status !== 'running' && endedAt === null);
    const mark = !isOver ? span('▸', 'name') : ok === false ? span('✗', 'bad') : span('✓', 'good');
    const word = !isOver ? ' …' : ok === false ? ' failed' : '';
    const took = hasEnded || !isOver ? ` ${toClockText((hasEnded ? endedAt : moment) - startedAt)}` : '';
    return [mark, span(` ${name}`, 'heading'), span(` ${summary}`), span(`${word}${took}`, ok === false ? 'bad' : 'faint')];
  });
  return isCut ? [...lines, [span('More calls were not kept.', 'faint')]] : lines;
}

const KEPT_DIFFS = 20;

/** Whole trees that were added make patches of any size: so much of one is shown. */
function cutPatch(patch: string): string {
  const left = patch.length - SCROLL_BYTES;
  return left <= 0 ? patch : `${patch.slice(0, SCROLL_BYTES)}\n… ${left} more characters: ralph show --diff`;
}

/** Diffs of turns that have ended do not change. */
function createDiffReader({ diff }: Pick<WatchedRun, 'diff'>, onReady: () => void) {
  const known = new Map<string, string | null | undefined>();
  return (turn: string, isRunning: boolean): string | null | undefined => {
    if (isRunning) return null;
    if (!known.has(turn)) {
      known.set(turn, undefined);
      diff(turn)
        .catch(() => null)
        .then((patch) => {
          known.set(turn, patch === null ? null : cutPatch(patch));
          const [oldest] = known.keys();
          if (known.size > KEPT_DIFFS && oldest !== undefined) known.delete(oldest);
          onReady();
        })
        .catch(() => undefined);
    }
    return known.get(turn);
  };
}

function createIndexReader({ index }: Pick<WatchedRun, 'index'>) {
  let last: { readonly turn: string; readonly at: number; readonly index: TurnIndex } | null = null;
  return (turn: string, now: number): TurnIndex => {
    if (last === null || last.turn !== turn || now - last.at >= INDEX_MS || now < last.at) last = { turn, at: now, index: index(turn) };
    return last.index;
  };
}
