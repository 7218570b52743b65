import { type FlowArrow, type FlowNode, toArrowLines, toMarkText, toNodeTitle, toShortText } from '../topology/index.ts';
import type { CharGrid, Tone } from './char-grid.ts';
import { toTextCells } from './text-cells.ts';

/** A line of text in a box. */
export interface BoxLine {
  readonly text: string;
  readonly tone: Tone | null;
}

const MAX_WORDS = 32;
const MAX_TOPIC = 48;

/** What is written in the box of a node. `again`: what it publishes to itself. */
export function toBoxLines(node: FlowNode, again: readonly string[], isCompact: boolean): readonly BoxLine[] {
  const isWrong = node.kind === 'nobody' || node.marks.includes('unreachable');
  const lines: BoxLine[] = [{ text: toShortText(toNodeTitle(node), MAX_WORDS), tone: isWrong ? 'bad' : 'heading' }];
  if (node.detail !== '' && !isCompact) lines.push({ text: toShortText(node.detail, MAX_WORDS), tone: 'faint' });
  const marks = toMarkText(node);
  if (marks !== '') lines.push({ text: marks, tone: isWrong ? 'bad' : 'good' });
  const others = node.findings.filter((code) => code !== 'hat-unreachable');
  if (others.length > 0) lines.push({ text: toShortText(`! ${others.join(', ')}`, MAX_TOPIC), tone: 'bad' });
  for (const text of again) lines.push({ text: `↻ ${toShortText(text, MAX_TOPIC)}`, tone: 'faint' });
  return lines;
}

/** What is written on an arrow. */
export function toLabelLines(arrow: FlowArrow): readonly string[] {
  return toArrowLines(arrow, '◈').map((line) => toShortText(line, MAX_TOPIC));
}

/** The columns of the longest line. */
export function toWidestCells(lines: readonly string[]): number {
  return lines.reduce((most, line) => Math.max(most, toTextCells(line)), 0);
}

/** A box in cells; `x` and `y` are its top left corner. */
export interface CellBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Draws the box of a node with its lines in the middle. */
export function drawBox(grid: CharGrid, node: FlowNode, box: CellBox, lines: readonly BoxLine[]): void {
  const tone: Tone | null =
    node.kind === 'nobody' || node.marks.includes('unreachable') ? 'bad' : node.marks.includes('on-path') ? 'name' : null;
  const [corners, side, edge] = node.kind === 'hat' ? ['┌┐└┘', '│', '─'] : node.kind === 'loop' ? ['╭╮╰╯', '┆', '╌'] : ['╭╮╰╯', '│', '─'];
  const inner = edge.repeat(box.width - 2);
  grid.write(box, `${corners.charAt(0)}${inner}${corners.charAt(1)}`, tone);
  for (const [index, line] of lines.entries()) {
    const y = box.y + 1 + index;
    const left = Math.floor((box.width - 2 - toTextCells(line.text)) / 2);
    const right = box.width - 2 - toTextCells(line.text) - left;
    grid.write({ x: box.x, y }, side, tone);
    grid.write({ x: box.x + 1, y }, `${' '.repeat(left)}${line.text}${' '.repeat(right)}`, line.tone);
    grid.write({ x: box.x + box.width - 1, y }, side, tone);
  }
  grid.write({ x: box.x, y: box.y + box.height - 1 }, `${corners.charAt(2)}${inner}${corners.charAt(3)}`, tone);
}
