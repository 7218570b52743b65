import { Graph, layout } from '@dagrejs/dagre';

/** A node as the layout sees it. Units are the caller's. */
export interface BoxSize {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** An arrow with the size of what is written on it. `from` and `to` differ. */
export interface ArrowSize {
  readonly from: string;
  readonly to: string;
  readonly width: number;
  readonly height: number;
}

/** What the layout keeps apart. */
export interface Gaps {
  /** Between two nodes or labels side by side. */
  readonly nodeGap: number;
  /** Between two lines side by side. */
  readonly lineGap: number;
}

/** Something that has its place in a rank: a node, the label of an arrow, or a point where an arrow passes through. */
export interface RankItem {
  readonly rank: number;
  /** The middle. */
  x: number;
  readonly width: number;
  readonly height: number;
}

/** Nodes and arrows in ranks from top to bottom; what is next to each other does not overlap. */
export interface RankedGraph {
  readonly ranks: number;
  readonly nodes: ReadonlyMap<string, RankItem>;
  /** In the order of the arrows that were given: what each passes on its way from `from` to `to`, its label being one of them. */
  readonly arrows: readonly RankedArrow[];
}

export interface RankedArrow {
  readonly stations: readonly RankItem[];
  /** The place of the label among the stations. */
  readonly label: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface LaidOutArrow extends Point {
  readonly points: readonly Point[];
}

/** Puts nodes into ranks and orders them so that few arrows cross (dagre). Deterministic. */
export function rankGraph(boxes: readonly BoxSize[], arrows: readonly ArrowSize[], gaps: Gaps): RankedGraph {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: gaps.nodeGap, edgesep: gaps.lineGap, ranksep: 4 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const [index, { from, to, width, height }] of arrows.entries()) {
    graph.setEdge(from, to, { width, height, labelpos: 'c', minlen: 1, weight: 1 }, String(index));
  }
  layout(graph);
  const nodeAt = (id: string): Point => graph.node(id) as unknown as Point;
  const laidOut = arrows.map(({ from, to }, index) => graph.edge(from, to, String(index)) as unknown as LaidOutArrow);
  const inner = laidOut.map((arrow) => arrow.points.slice(1, -1));
  const levels = listLevels([...boxes.map((box) => nodeAt(box.id).y), ...inner.flatMap((points) => points.map((point) => point.y))]);
  const rankOf = (y: number): number => levels.findIndex((level) => Math.abs(level - y) < 0.5);
  const toArrow = (size: ArrowSize, index: number): RankedArrow => {
    const points = inner[index] ?? [];
    const { x, y } = laidOut[index] as LaidOutArrow;
    const found = points.findIndex((point) => Math.abs(point.y - y) < 0.5 && Math.abs(point.x - x) < 0.5);
    const label = found < 0 ? Math.floor(points.length / 2) : found;
    const stations = points.map((point, at): RankItem => {
      const { width, height } = at === label ? size : { width: 0, height: 0 };
      return { rank: rankOf(point.y), x: point.x, width, height };
    });
    return { stations, label };
  };
  const nodes = boxes.map(({ id, width, height }): [string, RankItem] => {
    const { x, y } = nodeAt(id);
    return [id, { rank: rankOf(y), x, width, height }];
  });
  const ranked = { ranks: levels.length, nodes: new Map(nodes), arrows: arrows.map(toArrow) };
  keepApart(ranked, gaps);
  return ranked;
}

/** The distinct heights, from top to bottom. */
function listLevels(values: readonly number[]): readonly number[] {
  const levels: number[] = [];
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = levels.at(-1);
    if (last === undefined || value - last >= 0.5) levels.push(value);
  }
  return levels;
}

/** Pushes apart what stands too close in its rank, from left to right, and moves all so that the leftmost edge is 0. */
function keepApart({ ranks, nodes, arrows }: RankedGraph, gaps: Gaps): void {
  const rows: RankItem[][] = Array.from({ length: ranks }, () => []);
  for (const item of [...nodes.values(), ...arrows.flatMap((arrow) => arrow.stations)]) rows[item.rank]?.push(item);
  let left = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    row.sort((a, b) => a.x - b.x);
    let end = Number.NEGATIVE_INFINITY;
    let wasLine = true;
    for (const item of row) {
      const isLine = item.width === 0;
      const gap = wasLine && isLine ? gaps.lineGap : Math.min(gaps.nodeGap, gaps.lineGap * 2);
      item.x = Math.max(item.x, end + gap + item.width / 2);
      end = item.x + item.width / 2;
      wasLine = isLine;
      left = Math.min(left, item.x - item.width / 2);
    }
  }
  if (left === Number.POSITIVE_INFINITY) return;
  for (const row of rows) for (const item of row) item.x -= left;
}
