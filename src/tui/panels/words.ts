import { toDurationText } from '../../core/text/duration.ts';
import { toTextCells } from '../../core/text/text-cells.ts';
import { toStateText } from '../../views/report/attention.ts';
import type { Attention } from '../../wire/attention.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { Line, TonedText } from '../cells/screen.ts';
import type { Tone } from '../cells/tones.ts';

/** A piece of a line. */
export function span(text: string, tone: Tone = 'plain'): TonedText {
  return { text, tone };
}

/** `2:05`, `1:02:05`: a duration that changes its width seldom. */
export function toClockText(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${two(seconds % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** How long something took: as a clock, and below a second as `525 ms`. */
export function toTookText(durationMs: number): string {
  return durationMs < 1000 ? toDurationText(durationMs) : toClockText(durationMs);
}

/** The mark and the tone of what needs a person; the word is said beside them. */
const STATES: Readonly<Record<Attention['state'], { readonly mark: string; readonly tone: Tone }>> = {
  needs_you: { mark: '!', tone: 'urgent' },
  stuck: { mark: '!', tone: 'bad' },
  gate_red: { mark: '✗', tone: 'bad' },
  limit_near: { mark: '!', tone: 'warning' },
  working: { mark: '▸', tone: 'good' },
  done: { mark: '✓', tone: 'good' },
};

/** `! NEEDS YOU`; `! WAITING FOR YOU` where nothing goes on without them. */
export function toStateSpan({ state }: Pick<Attention, 'state'>, frame: Pick<RunFrame, 'state' | 'word'>): TonedText {
  const { mark, tone } = STATES[state];
  const word = state === 'needs_you' && frame.state === 'waiting' ? frame.word : toStateText(state);
  return span(`${mark} ${word.toUpperCase()}`, tone);
}

/** A text in lines of at most so many columns, broken at spaces where there are any. */
export function wrapCells(text: string, columns: number): readonly string[] {
  if (columns < 1) return [];
  return text.split('\n').flatMap((line) => wrapLine(line.replaceAll('\t', '    '), columns));
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (line.length * 2 <= columns || toTextCells(line) <= columns) return [line];
  const lines: string[] = [];
  let open = '';
  let cells = 0;
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    const width = toTextCells(word);
    if (cells + width > columns && cells > 0) {
      lines.push(open.trimEnd());
      [open, cells] = ['', 0];
      if (word.trim() === '') continue;
    }
    if (width <= columns) {
      open += word;
      cells += width;
      continue;
    }
    for (const piece of cutWord(word, columns)) {
      if (open !== '') lines.push(open);
      [open, cells] = [piece, toTextCells(piece)];
    }
  }
  return open.trim() === '' && lines.length > 0 ? lines : [...lines, open.trimEnd()];
}

function cutWord(word: string, columns: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let cells = 0;
  for (const char of word) {
    const width = toTextCells(char);
    if (cells + width > columns && piece !== '') {
      pieces.push(piece);
      [piece, cells] = ['', 0];
    }
    piece += char;
    cells += width;
  }
  return piece === '' ? pieces : [...pieces, piece];
}

/** The last part of a list is replaced by how many there are more, where not all have room. */
export function fitLines(lines: readonly Line[], rows: number): readonly Line[] {
  if (lines.length <= rows || rows < 1) return lines.slice(0, Math.max(0, rows));
  return [...lines.slice(0, rows - 1), [span(`  and ${lines.length - rows + 1} more`, 'faint')]];
}
