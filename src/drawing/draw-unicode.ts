import { toTextCells } from '../core/text/text-cells.ts';
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
import { assignTracks, type Tracks } from './assign-tracks.ts';
import { type Cell, type CharGrid, createCharGrid, type DrawingTone } from './char-grid.ts';
import { isLoop, type LaidOutGraph, layOut, type PlacedArrow } from './lay-out.ts';

/** Where a drawing is to fit, and how its parts get their colours. */
export interface UnicodeLook {
  readonly columns: number;
  readonly style: (tone: DrawingTone, text: string) => string;
}

/** Larger ones fit into no terminal, and laying them out takes long. */
const MAX_NODES = 60;
const MAX_EDGES = 200;

/** A flow graph as boxes and arrows in characters, ending with a new line; `null` where it would be wider than the terminal. */
export function drawUnicode(graph: FlowGraph, look: UnicodeLook): string | null {
  if (graph.nodes.length > MAX_NODES || graph.edges.length > MAX_EDGES) return null;
  return drawOnce(graph, look, false) ?? drawOnce(graph, look, true);
}

function drawOnce(graph: FlowGraph, look: UnicodeLook, isCompact: boolean): string | null {
  const plan = planDrawing(graph, isCompact);
  const grid = createCharGrid();
  for (const [index, placed] of plan.laidOut.arrows.entries()) drawArrow(grid, plan, plan.arrows[index] as FlowArrow, { placed, index });
  for (const node of graph.nodes) {
    const box = plan.boxes.get(node.id);
    if (box !== undefined) drawBox(grid, node, box, plan.lines.get(node.id) ?? []);
  }
  for (const [index, placed] of plan.laidOut.arrows.entries()) drawEnds(grid, plan, plan.arrows[index] as FlowArrow, placed);
  return grid.columns() > look.columns ? null : `${grid.render(look.style)}\n`;
}

/** Where everything is, in whole columns and rows. */
interface UnicodePlan {
  readonly laidOut: LaidOutGraph;
  readonly arrows: readonly FlowArrow[];
  readonly lines: ReadonlyMap<string, readonly BoxLine[]>;
  readonly boxes: ReadonlyMap<string, CellBox>;
  readonly spaces: readonly Space[];
  /** The first row of each rank, and its height. */
  readonly bands: readonly { readonly top: number; readonly height: number }[];
}

/** The space below a rank: where arrows bend. */
interface Space {
  /** The row of the uppermost track. */
  readonly top: number;
  readonly tracks: Tracks;
  /** The place of each arrow that passes among the crossings of `tracks`. */
  readonly places: ReadonlyMap<number, number>;
}

function planDrawing(graph: FlowGraph, isCompact: boolean): UnicodePlan {
  const all = toFlowArrows(graph);
  const again = new Map(all.filter(isLoop).map((arrow) => [arrow.from, arrow.edges.map((edge) => toEdgeText(edge, '◈'))]));
  const arrows = all.filter((arrow) => !isLoop(arrow));
  const lines = new Map(graph.nodes.map((node) => [node.id, toBoxLines(node, again.get(node.id) ?? [], isCompact)]));
  const laidOut = layOut({
    boxes: [...lines].map(([id, words]) => ({ id, width: toWidestCells(words.map((line) => line.text)) + 4, height: words.length + 2 })),
    arrows: arrows.map(({ from, to, ...arrow }) => {
      const words = toLabelLines({ from, to, ...arrow });
      return { from, to, width: toWidestCells(words), height: words.length };
    }),
    gaps: { nodeGap: isCompact ? 2 : 3, lineGap: 2 },
    portGap: 2,
    toRankGap: () => 1,
  });
  const heights = new Array<number>(laidOut.ranks).fill(1);
  for (const node of laidOut.nodes.values()) heights[node.rank] = Math.max(heights[node.rank] ?? 1, node.height);
  for (const arrow of laidOut.arrows) heights[arrow.labelRank] = Math.max(heights[arrow.labelRank] ?? 1, arrow.label.height);
  const { spaces, bands } = planRows(laidOut, heights);
  const boxes = new Map(
    [...laidOut.nodes].map(([id, node]): [string, CellBox] => {
      const band = bands[node.rank] ?? { top: 0, height: 1 };
      const y = band.top + Math.floor((band.height - node.height) / 2);
      const x = Math.round(node.x);
      return [id, { x, y, width: Math.round(node.x + node.width) - x, height: node.height }];
    }),
  );
  return { laidOut, arrows, lines, boxes, spaces, bands };
}

/** Stacks ranks and the spaces between them. */
function planRows(laidOut: LaidOutGraph, heights: readonly number[]): Pick<UnicodePlan, 'spaces' | 'bands'> {
  const spaces: Space[] = [];
  const bands: { top: number; height: number }[] = [];
  let y = 0;
  for (const [rank, height] of heights.entries()) {
    bands.push({ top: y, height });
    y += height;
    const crossings: { readonly top: number; readonly bottom: number }[] = [];
    const places = new Map<number, number>();
    let [tipsAbove, tipsBelow] = [0, 0];
    for (const [index, arrow] of laidOut.arrows.entries()) {
      const way = toWayDown(arrow);
      const at = way.findIndex((station) => station.rank === rank);
      const [from, to] = [way[at], way[at + 1]];
      if (at < 0 || from === undefined || to === undefined) continue;
      places.set(index, crossings.length);
      crossings.push({ top: Math.round(from.x), bottom: Math.round(to.x) });
      if (arrow.isUpward && at === 0) tipsAbove = 1;
      if (!arrow.isUpward && at === way.length - 2) tipsBelow = 1;
    }
    const tracks = assignTracks(crossings);
    spaces.push({ top: y + tipsAbove, tracks, places });
    y += Math.max(1, tipsAbove + tracks.count + tipsBelow);
  }
  return { spaces, bands };
}

/** The stations from top to bottom. */
function toWayDown(arrow: PlacedArrow): PlacedArrow['stations'] {
  return arrow.isUpward ? [...arrow.stations].reverse() : arrow.stations;
}

interface IndexedArrow {
  readonly placed: PlacedArrow;
  readonly index: number;
}

function drawArrow(grid: CharGrid, plan: UnicodePlan, arrow: FlowArrow, { placed, index }: IndexedArrow): void {
  const way = toWayDown(placed);
  const [upper, lower] = placed.isUpward ? [arrow.to, arrow.from] : [arrow.from, arrow.to];
  const [above, below] = [plan.boxes.get(upper) as CellBox, plan.boxes.get(lower) as CellBox];
  let x = Math.round(way[0]?.x ?? 0);
  const corners: Cell[] = [{ x, y: above.y + above.height - 1 }];
  for (const { rank } of way.slice(0, -1)) {
    const space = plan.spaces[rank] as Space;
    for (const bend of space.tracks.bends[space.places.get(index) ?? -1] ?? []) {
      const y = space.top + bend.track;
      corners.push({ x, y }, { x: bend.to, y });
      x = bend.to;
    }
  }
  corners.push({ x, y: below.y });
  grid.line(corners, arrow.isOnPath ? 'heavy' : arrow.isFaint ? 'dashed' : 'plain', toTone(arrow));
}

function toTone(arrow: FlowArrow): DrawingTone | null {
  if (arrow.isOnPath) return 'name';
  return arrow.isWrong ? 'bad' : arrow.isFaint ? 'faint' : null;
}

/** The tip of an arrow, the mark where it leaves its box, and what is written on it. */
function drawEnds(grid: CharGrid, plan: UnicodePlan, arrow: FlowArrow, placed: PlacedArrow): void {
  const [from, to] = [plan.boxes.get(arrow.from) as CellBox, plan.boxes.get(arrow.to) as CellBox];
  const [first, last] = [Math.round(placed.stations[0]?.x ?? 0), Math.round(placed.stations.at(-1)?.x ?? 0)];
  const tone = toTone(arrow);
  if (placed.isUpward) {
    grid.write({ x: last, y: to.y + to.height }, '▲', tone);
    grid.write({ x: first, y: from.y }, '┴', tone);
  } else {
    grid.write({ x: last, y: to.y - 1 }, '▼', tone);
    grid.write({ x: first, y: from.y + from.height - 1 }, '┬', tone);
  }
  const words = toLabelLines(arrow);
  const band = plan.bands[placed.labelRank] ?? { top: 0, height: 1 };
  const top = band.top + Math.floor((band.height - words.length) / 2);
  const middle = placed.label.x + placed.label.width / 2;
  for (const [index, text] of words.entries()) {
    const x = Math.max(0, Math.round(middle - toWidestCells([text]) / 2));
    grid.write({ x, y: top + index }, text, tone ?? null);
  }
}

interface BoxLine {
  readonly text: string;
  readonly tone: DrawingTone | null;
}

const MAX_WORDS = 32;
const MAX_TOPIC = 48;

/** What is written in the box of a node. `again`: what it publishes to itself. */
function toBoxLines(node: FlowNode, again: readonly string[], isCompact: boolean): readonly BoxLine[] {
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

function toLabelLines(arrow: FlowArrow): readonly string[] {
  return toArrowLines(arrow, '◈').map((line) => toShortText(line, MAX_TOPIC));
}

/** The columns of the longest line. */
function toWidestCells(lines: readonly string[]): number {
  return lines.reduce((most, line) => Math.max(most, toTextCells(line)), 0);
}

interface CellBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function drawBox(grid: CharGrid, node: FlowNode, box: CellBox, lines: readonly BoxLine[]): void {
  const tone: DrawingTone | null =
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
