import { Graph, layout } from '@dagrejs/dagre';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle; `x` and `y` are its top left corner. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

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

interface Gaps {
  /** Between two nodes or labels side by side. */
  readonly nodeGap: number;
  /** Between two lines side by side. */
  readonly lineGap: number;
}

export interface LayoutRequest {
  readonly boxes: readonly BoxSize[];
  readonly arrows: readonly ArrowSize[];
  readonly gaps: Gaps;
  /** The least distance of two arrows on the side of a node, and of an arrow to the corner. */
  readonly portGap: number;
  /** The height of the space between two ranks, by the largest sideways way of an arrow through it, and how many go sideways. */
  readonly toRankGap: (sideways: number, arrows: number) => number;
}

/** A place on the way of an arrow: it goes straight down (or up) from `top` to `bottom` at `x`, and between two stations it may bend. */
export interface Station {
  readonly rank: number;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** An arrow: its stations in the order of its direction, the first and the last being the sides of nodes. */
export interface PlacedArrow {
  readonly stations: readonly Station[];
  readonly label: Rect;
  readonly labelRank: number;
  /** True if it leads upwards. */
  readonly isUpward: boolean;
}

export interface PlacedNode extends Rect {
  readonly rank: number;
}

export interface LaidOutGraph {
  readonly width: number;
  readonly height: number;
  readonly ranks: number;
  readonly nodes: ReadonlyMap<string, PlacedNode>;
  /** In the order of the arrows that were given. */
  readonly arrows: readonly PlacedArrow[];
}

/** Lays a graph out from top to bottom: nothing overlaps, and lines bend only between ranks, so none runs through a node or a foreign label. */
export function layOut({ boxes, arrows, gaps, portGap, toRankGap }: LayoutRequest): LaidOutGraph {
  const ranked = rankGraph(widen(boxes, arrows, portGap), arrows, gaps);
  const routes = toRoutes(ranked.arrows, portGap);
  const items = [...ranked.nodes.values(), ...ranked.arrows.flatMap((arrow) => arrow.stations)];
  const bands = createBands(ranked.ranks, items, routes, toRankGap);
  const nodes = new Map([...ranked.nodes].map(([id, item]) => [id, { ...toRect(item, bands), rank: item.rank }]));
  const placed = routes.map((route) => placeArrow(route, bands));
  const rects = [...nodes.values(), ...placed.map((arrow) => arrow.label)];
  const lineEnds = placed.flatMap((arrow) => arrow.stations.map((station) => station.x));
  return {
    width: Math.max(0, ...rects.map((rect) => rect.x + rect.width), ...lineEnds),
    height: bands.at(-1)?.bottom ?? 0,
    ranks: ranked.ranks,
    nodes,
    arrows: placed,
  };
}

/** True for an arrow that leads back to where it comes from: the layout has none of them. */
export function isLoop({ from, to }: Pick<ArrowSize, 'from' | 'to'>): boolean {
  return from === to;
}

/** Nodes with room for all of their arrows: all may be on one side, which is not known before the ranks are. */
function widen(boxes: readonly BoxSize[], arrows: readonly ArrowSize[], portGap: number): readonly BoxSize[] {
  const counts = new Map<string, number>();
  for (const { from, to } of arrows) for (const id of [from, to]) counts.set(id, (counts.get(id) ?? 0) + 1);
  return boxes.map((box) => ({ ...box, width: Math.max(box.width, ((counts.get(box.id) ?? 0) + 1) * portGap) }));
}

/** Something that has its place in a rank: a node, the label of an arrow, or a point where an arrow passes through. */
interface RankItem {
  readonly rank: number;
  /** The middle. */
  x: number;
  readonly width: number;
  readonly height: number;
}

/** Nodes and arrows in ranks from top to bottom; what is next to each other does not overlap. */
interface RankedGraph {
  readonly ranks: number;
  readonly nodes: ReadonlyMap<string, RankItem>;
  /** In the order of the arrows that were given. */
  readonly arrows: readonly RankedArrow[];
}

interface RankedArrow {
  readonly from: RankItem;
  readonly to: RankItem;
  /** What it passes on its way, its label being one of them. */
  readonly stations: readonly RankItem[];
  readonly label: RankItem;
  readonly isUpward: boolean;
}

interface DagreArrow extends Point {
  readonly points: readonly Point[];
}

/** Coordinates of dagre that differ by less are the same. */
const TOLERANCE = 0.5;

/** Puts nodes into ranks and orders them so that few arrows cross (dagre). Deterministic. */
function rankGraph(boxes: readonly BoxSize[], arrows: readonly ArrowSize[], gaps: Gaps): RankedGraph {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: gaps.nodeGap, edgesep: gaps.lineGap, ranksep: 4 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const [index, { from, to, width, height }] of arrows.entries()) {
    graph.setEdge(from, to, { width, height, labelpos: 'c', minlen: 1, weight: 1 }, String(index));
  }
  layout(graph);
  const nodeAt = (id: string): Point => graph.node(id) as unknown as Point;
  const laidOut = arrows.map(({ from, to }, index) => graph.edge(from, to, String(index)) as unknown as DagreArrow);
  const inner = laidOut.map((arrow) => arrow.points.slice(1, -1));
  const levels = listLevels([...boxes.map((box) => nodeAt(box.id).y), ...inner.flatMap((points) => points.map((point) => point.y))]);
  const rankOf = (y: number): number => levels.findIndex((level) => isNear(level, y));
  const nodes = new Map(
    boxes.map(({ id, width, height }): [string, RankItem] => {
      const { x, y } = nodeAt(id);
      return [id, { rank: rankOf(y), x, width, height }];
    }),
  );
  const toArrow = (size: ArrowSize, index: number): RankedArrow => {
    const [from, to] = [nodes.get(size.from) as RankItem, nodes.get(size.to) as RankItem];
    const points = inner[index] ?? [];
    const labelAt = findLabel(points, laidOut[index] as DagreArrow);
    const stations = points.map((point, at): RankItem => {
      const { width, height } = at === labelAt ? size : { width: 0, height: 0 };
      return { rank: rankOf(point.y), x: point.x, width, height };
    });
    return { from, to, stations, label: stations[labelAt] as RankItem, isUpward: from.rank > to.rank };
  };
  const ranked = { ranks: levels.length, nodes, arrows: arrows.map(toArrow) };
  keepApart(ranked, gaps);
  return ranked;
}

/** Which point of an arrow is the place of its label; where dagre has moved it away from all of them, the middle one. */
function findLabel(points: readonly Point[], { x, y }: Point): number {
  const found = points.findIndex((point) => isNear(point.x, x) && isNear(point.y, y));
  return found < 0 ? Math.floor(points.length / 2) : found;
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < TOLERANCE;
}

/** The distinct heights, from top to bottom. */
function listLevels(values: readonly number[]): readonly number[] {
  const levels: number[] = [];
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = levels.at(-1);
    if (last === undefined || !isNear(last, value)) levels.push(value);
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

/** An arrow with all that it passes, from its place on the side of one node to that on the side of the other. */
interface ArrowRoute {
  readonly arrow: RankedArrow;
  readonly way: readonly Pick<RankItem, 'rank' | 'x'>[];
}

function toRoutes(arrows: readonly RankedArrow[], portGap: number): readonly ArrowRoute[] {
  return assignPorts(arrows, portGap).map(({ arrow, from, to }) => ({
    arrow,
    way: [{ rank: arrow.from.rank, x: from }, ...arrow.stations, { rank: arrow.to.rank, x: to }],
  }));
}

interface Ports {
  readonly arrow: RankedArrow;
  from: number;
  to: number;
}

/** An end of an arrow, and where it leads. */
interface ArrowEnd {
  readonly ports: Ports;
  readonly end: 'from' | 'to';
  readonly towards: number;
}

/** Where arrows leave and enter nodes: spread over each side, in the order of where they lead, so that they do not cross there. */
function assignPorts(arrows: readonly RankedArrow[], portGap: number): readonly Ports[] {
  const sides = new Map<RankItem, { readonly top: ArrowEnd[]; readonly bottom: ArrowEnd[] }>();
  const add = (node: RankItem, side: 'top' | 'bottom', end: ArrowEnd): void => {
    const known = sides.get(node) ?? { top: [], bottom: [] };
    sides.set(node, known);
    known[side].push(end);
  };
  const all = arrows.map((arrow): Ports => {
    const { from, to, stations, isUpward } = arrow;
    const ports = { arrow, from: from.x, to: to.x };
    add(from, isUpward ? 'top' : 'bottom', { ports, end: 'from', towards: (stations[0] ?? to).x });
    add(to, isUpward ? 'bottom' : 'top', { ports, end: 'to', towards: (stations.at(-1) ?? from).x });
    return ports;
  });
  for (const [node, { top, bottom }] of sides) {
    for (const ends of [top, bottom]) {
      ends.sort((a, b) => a.towards - b.towards);
      const wanted = ends.map((end) => end.towards);
      for (const [at, x] of spreadOut(wanted, node, portGap).entries()) {
        const { ports, end } = ends[at] as ArrowEnd;
        ports[end] = x;
      }
    }
  }
  return all;
}

/** Places on the side of a node: straight towards what each leads to where that is possible, and apart from each other. `wanted` is in order. */
function spreadOut(wanted: readonly number[], node: RankItem, portGap: number): readonly number[] {
  const gap = Math.max(portGap, Math.min(node.width / (wanted.length + 1), portGap * 2));
  const edge = Math.min(gap, (node.width - gap * (wanted.length - 1)) / 2);
  const [left, right] = [node.x - node.width / 2 + edge, node.x + node.width / 2 - edge];
  const places: number[] = [];
  for (const [at, x] of wanted.entries()) places.push(Math.max(x, left, (places[at - 1] ?? Number.NEGATIVE_INFINITY) + gap));
  let limit = right;
  for (let at = places.length - 1; at >= 0; at -= 1) {
    places[at] = Math.min(places[at] as number, limit);
    limit = (places[at] as number) - gap;
  }
  return places;
}

interface Band {
  readonly top: number;
  readonly bottom: number;
}

function createBands(
  ranks: number,
  items: readonly RankItem[],
  routes: readonly ArrowRoute[],
  toRankGap: LayoutRequest['toRankGap'],
): readonly Band[] {
  const heights = new Array<number>(ranks).fill(0);
  for (const item of items) heights[item.rank] = Math.max(heights[item.rank] ?? 0, item.height);
  const sideways = new Array<number>(ranks).fill(0);
  const bent = new Array<number>(ranks).fill(0);
  for (const { way } of routes) {
    for (const [at, station] of way.entries()) {
      const next = way[at + 1];
      if (next === undefined) continue;
      const rank = Math.min(station.rank, next.rank);
      sideways[rank] = Math.max(sideways[rank] ?? 0, Math.abs(station.x - next.x));
      if (station.x !== next.x) bent[rank] = (bent[rank] ?? 0) + 1;
    }
  }
  let y = 0;
  return heights.map((height, rank) => {
    const band = { top: y, bottom: y + height };
    y = band.bottom + toRankGap(sideways[rank] ?? 0, bent[rank] ?? 0);
    return band;
  });
}

function bandOf(bands: readonly Band[], rank: number): Band {
  return bands[rank] ?? { top: 0, bottom: 0 };
}

function toRect({ rank, x, width, height }: RankItem, bands: readonly Band[]): Rect {
  const { top, bottom } = bandOf(bands, rank);
  return { x: x - width / 2, y: top + (bottom - top - height) / 2, width, height };
}

/** The first and the last station end at their nodes, the others go through the whole of their rank. */
function placeArrow({ arrow, way }: ArrowRoute, bands: readonly Band[]): PlacedArrow {
  const { from, to, label, isUpward } = arrow;
  const stations = way.map(({ rank, x }, at): Station => {
    const band = bandOf(bands, rank);
    const isFirst = at === 0;
    if (!isFirst && at < way.length - 1) return { rank, x, ...band };
    const { y, height } = toRect(isFirst ? from : to, bands);
    // Downwards it leaves at the bottom of a node and enters at the top of one, upwards the other way round.
    return isFirst === isUpward ? { rank, x, top: band.top, bottom: y } : { rank, x, top: y + height, bottom: band.bottom };
  });
  return { stations, label: toRect(label, bands), labelRank: label.rank, isUpward };
}
