import { maskControls } from '../core/text/mask-controls.ts';
import { toTextCells } from '../core/text/text-cells.ts';
import { RalphError } from '../core/values/errors.ts';
import {
  type FlowArrow,
  type FlowGraph,
  type FlowNode,
  toArrowLines,
  toEdgeText,
  toFlowArrows,
  toMarkText,
  toNodeTitle,
  toShortText,
} from '../topology/graph/flow-graph.ts';
import type { GraphPicture } from '../wire/graph-picture.ts';
import { isLoop, layOut, type PlacedArrow, type Point, type Rect, type Station } from './lay-out.ts';
import { SVG_STYLE } from './svg-style.ts';

const MARGIN = 16;

/** More than this is no picture any more; laying it out would take minutes. */
const MAX_NODES = 400;
const MAX_EDGES = 800;

/**
 * A flow graph as a picture: SVG that stands alone (no script, no font, nothing loaded), light or dark as the viewer prefers. Whatever the
 * user named is escaped text.
 *
 * @throws RalphError `graph-too-large` for more than 400 nodes or 800 edges
 */
export function drawSvg(graph: FlowGraph, title: string): string {
  if (graph.nodes.length > MAX_NODES || graph.edges.length > MAX_EDGES) throw createTooLarge(graph);
  const laidOut = layOutSvg(graph);
  const width = num(laidOut.width + 2 * MARGIN);
  const height = num(laidOut.height + 2 * MARGIN);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${toXmlText(title)}</title>`,
    `<style>${SVG_STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="10"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">`,
    ...laidOut.arrows.map(({ arrow, placed }) => drawLine(arrow, placed, laidOut.turn)),
    ...graph.nodes.flatMap((node) => {
      const rect = laidOut.nodes.get(node.id);
      return rect === undefined ? [] : [drawNode(node, laidOut.again.get(node.id) ?? [], rect)];
    }),
    ...laidOut.arrows.map(({ arrow, label }) => drawLabel(arrow, label)),
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}

/** A flow graph laid out as {@link drawSvg} would draw it, without its counts; `null` where that is too large for a picture. */
export function toGraphPicture({ nodes, edges, ...rest }: FlowGraph): GraphPicture | null {
  if (nodes.length > MAX_NODES || edges.length > MAX_EDGES) return null;
  const graph: FlowGraph = {
    ...rest,
    nodes: nodes.map(({ turns: _turns, ...node }) => node),
    edges: edges.map(({ count: _count, ...edge }) => edge),
  };
  const { width, height, nodes: places, arrows, again, turn } = layOutSvg(graph);
  return {
    width,
    height,
    nodes: graph.nodes.flatMap((node) => {
      const rect = places.get(node.id);
      if (rect === undefined) return [];
      const lines = toNodeLines(node, again.get(node.id) ?? []).map(({ text }) => text);
      return [{ ...toPlainRect(rect), id: node.id, kind: node.kind, lines }];
    }),
    arrows: arrows.map(({ arrow, placed, label }) => ({
      edges: arrow.edges.map(({ id }) => id),
      ...toPaths(placed, turn),
      isFaint: arrow.isFaint,
      isWrong: arrow.isWrong,
      label: toPlainRect(label),
      lines: toLabelLines(arrow).map((line) => ({ text: line.replace(GATE_MARK, ''), isGated: line.startsWith(GATE_MARK) })),
    })),
  };
}

function toPlainRect({ x, y, width, height }: Rect): Rect {
  return { x, y, width, height };
}

function createTooLarge(graph: FlowGraph): RalphError {
  return new RalphError({
    code: 'graph-too-large',
    what: `${graph.nodes.length} nodes and ${graph.edges.length} edges are too many for a picture.`,
    why: `Up to ${MAX_NODES} nodes and ${MAX_EDGES} edges can be laid out in reasonable time.`,
    fix: 'Take --format dot and a program for large graphs, --format json, or --path FROM..TO for a part of it.',
  });
}

/** Above this many nodes only one direction is tried. */
const MANY_NODES = 120;

/** Where everything is in a drawing, in pixels, without the margin. */
interface SvgLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Rect>;
  readonly arrows: readonly DrawnArrow[];
  /** What nodes publish to themselves, by their id: it is written in the node. */
  readonly again: ReadonlyMap<string, readonly string[]>;
  /** From the layout, which leads downwards, to the picture. */
  readonly turn: (point: Point) => Point;
}

interface DrawnArrow {
  readonly arrow: FlowArrow;
  readonly placed: PlacedArrow;
  readonly label: Rect;
}

/** Lays a graph out for SVG, from top to bottom or from left to right: whichever fits a page better. */
function layOutSvg(graph: FlowGraph): SvgLayout {
  const down = layOutTowards(graph, 'down');
  if (graph.nodes.length > MANY_NODES) return down;
  const right = layOutTowards(graph, 'right');
  return toAwkwardness(right) < toAwkwardness(down) ? right : down;
}

/** How badly a picture fits a page: much of it, and far from the shape of a page. */
function toAwkwardness({ width, height }: SvgLayout): number {
  return Math.log(width * height) + Math.abs(Math.log(width / height / 1.3));
}

function layOutTowards(graph: FlowGraph, direction: 'down' | 'right'): SvgLayout {
  const all = toFlowArrows(graph);
  const again = new Map(all.filter(isLoop).map((arrow) => [arrow.from, arrow.edges.map((edge) => toEdgeText(edge, '[gate]'))]));
  const arrows = all.filter((arrow) => !isLoop(arrow));
  const isDown = direction === 'down';
  const toSize = ({ width, height }: DrawnSize): DrawnSize => (isDown ? { width, height } : { width: height, height: width });
  const laidOut = layOut({
    boxes: graph.nodes.map((node) => ({ id: node.id, ...toSize(measureNode(node, again.get(node.id) ?? [])) })),
    arrows: arrows.map((arrow) => ({ from: arrow.from, to: arrow.to, ...toSize(measureLabel(arrow)) })),
    gaps: isDown ? { nodeGap: 28, lineGap: 14 } : { nodeGap: 18, lineGap: 12 },
    portGap: 14,
    // Many lines that go far sideways need height to stay apart.
    toRankGap: (sideways, lines) => Math.min(80 + lines * 5, 24 + sideways * 0.12),
  });
  const toRect = (rect: Rect): Rect => (isDown ? rect : { x: rect.y, y: rect.x, width: rect.height, height: rect.width });
  return {
    ...toSize(laidOut),
    nodes: new Map([...laidOut.nodes].map(([id, rect]) => [id, toRect(rect)])),
    arrows: laidOut.arrows.map((placed, index) => ({ arrow: arrows[index] as FlowArrow, placed, label: toRect(placed.label) })),
    again,
    turn: isDown ? (point) => point : ({ x, y }) => ({ x: y, y: x }),
  };
}

interface DrawnSize {
  readonly width: number;
  readonly height: number;
}

/** Widths of a character, in pixels: generous, since nobody knows the viewer's typefaces. */
const TITLE_CELL = 9.2;
const DETAIL_CELL = 7.2;
const TOPIC_CELL = 7.5;
const SMALL_CELL = 6.9;
const LINE_HEIGHT = 17;
const PAD = 12;
const SHIELD_WIDTH = 14;
const MAX_TITLE = 48;
const MAX_TOPIC = 64;

/** Stands for a shield in the text of a label until it is drawn. */
const GATE_MARK = '\u0001';

interface TextLine {
  readonly text: string;
  readonly style: string;
  readonly cell: number;
}

function toNodeLines(node: FlowNode, again: readonly string[]): readonly TextLine[] {
  const lines: TextLine[] = [{ text: toShortText(toNodeTitle(node), MAX_TITLE), style: 'title', cell: TITLE_CELL }];
  if (node.detail !== '') lines.push({ text: toShortText(node.detail, MAX_TITLE), style: 'detail', cell: DETAIL_CELL });
  const marks = toMarkText(node);
  if (marks !== '') lines.push({ text: marks, style: node.marks.includes('unreachable') ? 'marks bad' : 'marks', cell: SMALL_CELL });
  const others = node.findings.filter((code) => code !== 'hat-unreachable');
  if (others.length > 0) lines.push({ text: `! ${others.join(', ')}`, style: 'marks bad', cell: SMALL_CELL });
  for (const text of again) lines.push({ text: `↻ ${toShortText(text, MAX_TOPIC)}`, style: 'again', cell: TOPIC_CELL });
  return lines;
}

/** The size of a node. `again`: what it publishes to itself. */
function measureNode(node: FlowNode, again: readonly string[]): { readonly width: number; readonly height: number } {
  const lines = toNodeLines(node, again);
  const width = Math.max(56, ...lines.map((line) => toTextCells(line.text) * line.cell)) + 2 * PAD;
  return { width: Math.ceil(width), height: lines.length * LINE_HEIGHT + 14 };
}

function drawNode(node: FlowNode, again: readonly string[], rect: Rect): string {
  const style = [
    'box',
    node.kind,
    ...(node.marks.includes('unreachable') ? ['unreachable'] : []),
    ...(node.marks.includes('on-path') ? ['onpath'] : []),
  ];
  const radius = node.kind === 'hat' || node.kind === 'nobody' ? 8 : rect.height / 2;
  const lines = toNodeLines(node, again);
  const top = rect.y + (rect.height - lines.length * LINE_HEIGHT) / 2;
  const texts = lines.map(
    (line, index) =>
      `<text class="${line.style}" x="${num(rect.x + rect.width / 2)}" y="${num(top + index * LINE_HEIGHT + 13)}" text-anchor="middle">${toXmlText(line.text)}</text>`,
  );
  return `<g><rect class="${style.join(' ')}" ${toBox(rect)} rx="${num(Math.min(radius, 26))}"/>${texts.join('')}</g>`;
}

function toLabelLines(arrow: FlowArrow): readonly string[] {
  return toArrowLines(arrow, GATE_MARK).map((line) =>
    line.startsWith(GATE_MARK) ? `${GATE_MARK}${toShortText(line.slice(2), MAX_TOPIC)}` : toShortText(line, MAX_TOPIC),
  );
}

/** The size of what is written on an arrow. */
function measureLabel(arrow: FlowArrow): { readonly width: number; readonly height: number } {
  const widths = toLabelLines(arrow).map((line) =>
    line.startsWith(GATE_MARK) ? toTextCells(line.slice(1)) * TOPIC_CELL + SHIELD_WIDTH : toTextCells(line) * TOPIC_CELL,
  );
  return { width: Math.ceil(Math.max(...widths) + 14), height: widths.length * LINE_HEIGHT + 6 };
}

/** The label of an arrow, on a plate of its own so that no line runs through the text. */
function drawLabel(arrow: FlowArrow, rect: Rect): string {
  const texts = toLabelLines(arrow).map((line, index) => {
    const y = rect.y + 3 + index * LINE_HEIGHT;
    const isGated = line.startsWith(GATE_MARK);
    const x = rect.x + 7 + (isGated ? SHIELD_WIDTH : 0);
    const shield = isGated ? drawShield(rect.x + 6, y + 3) : '';
    const style = arrow.isWrong ? 'topic bad' : arrow.isFaint ? 'topic fainttopic' : 'topic';
    return `${shield}<text class="${style}" x="${num(x)}" y="${num(y + 13)}">${toXmlText(isGated ? line.slice(1) : line)}</text>`;
  });
  return `<g><rect class="plate" ${toBox(rect)} rx="5"/>${texts.join('')}</g>`;
}

function drawShield(x: number, y: number): string {
  return `<path class="shield" d="M${num(x + 5)} ${num(y)}l5 2v4c0 3-2 5-5 6c-3-1-5-3-5-6v-4z"><title>a gate is run first</title></path>`;
}

const TIP = 9;

function drawLine({ isFaint, isWrong, isOnPath }: FlowArrow, placed: PlacedArrow, turn: (point: Point) => Point): string {
  const style = isOnPath ? 'path' : isWrong ? 'wrong' : isFaint ? 'faint' : '';
  const { line, tip } = toPaths(placed, turn);
  return `<path class="line ${style}" d="${line}"/><path class="${style === '' ? 'tip' : `tip ${style}tip`}" d="${tip}"/>`;
}

/** The ways of an arrow's line and of its tip: straight through the ranks, in a curve between them. `turn`: from the layout to the picture. */
function toPaths(placed: PlacedArrow, turn: (point: Point) => Point): { readonly line: string; readonly tip: string } {
  const at = (x: number, y: number): string => {
    const point = turn({ x, y });
    return `${num(point.x)} ${num(point.y)}`;
  };
  const stations = placed.isUpward ? [...placed.stations].reverse() : placed.stations;
  const [first, last] = [stations[0] as Station, stations.at(-1) as Station];
  const tipX = placed.isUpward ? first.x : last.x;
  const tipY = placed.isUpward ? first.top : last.bottom;
  const back = placed.isUpward ? TIP : -TIP;
  let from: Point = { x: first.x, y: first.top + (placed.isUpward ? TIP - 1 : 0) };
  const parts = [`M${at(from.x, from.y)}`];
  for (const station of stations) {
    const isLast = station === last;
    const top = isLast && !placed.isUpward ? Math.min(station.top, tipY - TIP + 1) : station.top;
    if (station !== first) {
      const middle = (from.y + top) / 2;
      parts.push(station.x === from.x ? `L${at(station.x, top)}` : `C${at(from.x, middle)} ${at(station.x, middle)} ${at(station.x, top)}`);
    }
    const bottom = isLast && !placed.isUpward ? tipY - TIP + 1 : Math.max(station.bottom, from.y);
    if (bottom > top) parts.push(`L${at(station.x, bottom)}`);
    from = { x: station.x, y: bottom };
  }
  return { line: parts.join(''), tip: `M${at(tipX, tipY)}L${at(tipX - 4.5, tipY + back)}L${at(tipX + 4.5, tipY + back)}z` };
}

function toBox({ x, y, width, height }: Rect): string {
  return `x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}"`;
}

/** A number with at most one digit after the point. */
function num(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A text as content of an element: escaped, and without what XML forbids. */
function toXmlText(text: string): string {
  const plain = maskControls(text, { by: ' ' })
    .replace(/[\uFFFE\uFFFF]/g, ' ')
    .replace(/\p{Cs}/gu, '\uFFFD');
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
