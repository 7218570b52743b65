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

/** A node in its rank. */
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

export interface LayoutRequest {
  readonly boxes: readonly BoxSize[];
  readonly arrows: readonly ArrowSize[];
  readonly gaps: Gaps;
  /** The least distance of two arrows on the side of a node, and of an arrow to the corner. */
  readonly portGap: number;
  /** The height of the space between two ranks, by the largest sideways way of an arrow through it, and how many go sideways. */
  readonly toRankGap: (sideways: number, arrows: number) => number;
}

/** Lays a graph out from top to bottom: nothing overlaps, and lines bend only between ranks, so none runs through a node or a foreign label. */
export function layOut(request: LayoutRequest): LaidOutGraph {
  const { boxes, arrows, gaps, portGap } = request;
  const crowds = countCrowds(arrows);
  const sized = boxes.map((box) => ({ ...box, width: Math.max(box.width, ((crowds.get(box.id) ?? 0) + 1) * portGap) }));
  const ranked = rankGraph(sized, arrows, gaps);
  const nodeOf = (id: string): RankItem => ranked.nodes.get(id) as RankItem;
  const ends = arrows.map(({ from, to }) => ({ from: nodeOf(from), to: nodeOf(to) }));
  const ports = assignPorts(
    arrows.map((arrow, index) => {
      const { from, to } = ends[index] as (typeof ends)[number];
      const stations = ranked.arrows[index]?.stations ?? [];
      const isUpward = from.rank > to.rank;
      return { ...arrow, isUpward, fromNode: from, toNode: to, second: stations[0] ?? to, lastButOne: stations.at(-1) ?? from };
    }),
    portGap,
  );
  const ways = arrows.map((_, index): readonly { readonly rank: number; readonly x: number }[] => {
    const { from, to } = ends[index] as (typeof ends)[number];
    const port = ports[index] as PortPair;
    return [{ rank: from.rank, x: port.from }, ...(ranked.arrows[index]?.stations ?? []), { rank: to.rank, x: port.to }];
  });
  const bands = createBands(
    ranked.ranks,
    [...ranked.nodes.values(), ...ranked.arrows.flatMap((arrow) => arrow.stations)],
    ways,
    request.toRankGap,
  );
  const nodes = new Map([...ranked.nodes].map(([id, item]) => [id, { ...toRect(item, bands), rank: item.rank }]));
  const placed = arrows.map((arrow, index): PlacedArrow => {
    const { stations, label } = ranked.arrows[index] as (typeof ranked.arrows)[number];
    const isUpward = nodeOf(arrow.from).rank > nodeOf(arrow.to).rank;
    const way = (ways[index] ?? []).map(({ rank, x }) => ({ rank, x, ...(bands[rank] as Band) }));
    const fitted = way.map((station, at) => fitToNode(station, at, way.length, { arrow, nodes, isUpward }));
    const item = stations[label] as RankItem;
    return { stations: fitted, label: toRect(item, bands), labelRank: item.rank, isUpward };
  });
  const items = [...nodes.values(), ...placed.map((arrow) => arrow.label)];
  const lineEnds = placed.flatMap((arrow) => arrow.stations.map((station) => station.x));
  return {
    width: Math.max(0, ...items.map((item) => item.x + item.width), ...lineEnds),
    height: bands.at(-1)?.bottom ?? 0,
    ranks: ranked.ranks,
    nodes,
    arrows: placed,
  };
}

/** How many arrows touch each node: all of them may be on one side, which is not known before the ranks are. */
function countCrowds(arrows: readonly ArrowSize[]): ReadonlyMap<string, number> {
  const crowds = new Map<string, number>();
  for (const { from, to } of arrows) for (const id of [from, to]) crowds.set(id, (crowds.get(id) ?? 0) + 1);
  return crowds;
}

interface Band {
  readonly top: number;
  readonly bottom: number;
}

/** Where each rank begins and ends. */
function createBands(
  ranks: number,
  items: readonly RankItem[],
  ways: readonly (readonly { readonly rank: number; readonly x: number }[])[],
  toRankGap: LayoutRequest['toRankGap'],
): readonly Band[] {
  const heights = new Array<number>(ranks).fill(0);
  for (const item of items) heights[item.rank] = Math.max(heights[item.rank] ?? 0, item.height);
  const sideways = new Array<number>(ranks).fill(0);
  const bent = new Array<number>(ranks).fill(0);
  for (const way of ways) {
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

function toRect({ rank, x, width, height }: RankItem, bands: readonly Band[]): Rect {
  const { top, bottom } = bands[rank] ?? { top: 0, bottom: 0 };
  return { x: x - width / 2, y: top + (bottom - top - height) / 2, width, height };
}

interface FitFacts {
  readonly arrow: ArrowSize;
  readonly nodes: ReadonlyMap<string, Rect>;
  readonly isUpward: boolean;
}

/** The first and the last station end at their nodes. */
function fitToNode(station: Station, at: number, count: number, { arrow, nodes, isUpward }: FitFacts): Station {
  if (at !== 0 && at !== count - 1) return station;
  const rect = nodes.get(at === 0 ? arrow.from : arrow.to) as Rect;
  const isBelow = (at === 0) !== isUpward;
  return isBelow ? { ...station, top: rect.y + rect.height } : { ...station, bottom: rect.y };
}

interface PortRequest {
  readonly from: string;
  readonly to: string;
  readonly fromNode: RankItem;
  readonly toNode: RankItem;
  readonly isUpward: boolean;
  readonly second: { readonly x: number };
  readonly lastButOne: { readonly x: number };
}

interface PortPair {
  readonly from: number;
  readonly to: number;
}

/** Where arrows leave and enter nodes: spread over each side, in the order of where they lead, so that they do not cross there. */
function assignPorts(requests: readonly PortRequest[], portGap: number): readonly PortPair[] {
  const sides = new Map<string, { readonly node: RankItem; readonly ends: { readonly key: string; readonly towards: number }[] }>();
  const add = (side: string, node: RankItem, key: string, towards: number): void => {
    const known = sides.get(side) ?? { node, ends: [] };
    sides.set(side, known);
    known.ends.push({ key, towards });
  };
  for (const [index, request] of requests.entries()) {
    add(`${request.from}\n${request.isUpward ? 'top' : 'bottom'}`, request.fromNode, `${index} from`, request.second.x);
    add(`${request.to}\n${request.isUpward ? 'bottom' : 'top'}`, request.toNode, `${index} to`, request.lastButOne.x);
  }
  const places = new Map<string, number>();
  for (const { node, ends } of sides.values()) {
    ends.sort((a, b) => a.towards - b.towards);
    const spread = spreadOut(
      ends.map((end) => end.towards),
      node,
      portGap,
    );
    for (const [at, end] of ends.entries()) places.set(end.key, spread[at] ?? node.x);
  }
  return requests.map((_, index) => ({ from: places.get(`${index} from`) ?? 0, to: places.get(`${index} to`) ?? 0 }));
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

/** True for an arrow that leads back to where it comes from: the layout has none of them. */
export function isLoop({ from, to }: Pick<ArrowSize, 'from' | 'to'>): boolean {
  return from === to;
}

/** What the layout keeps apart. */
interface Gaps {
  /** Between two nodes or labels side by side. */
  readonly nodeGap: number;
  /** Between two lines side by side. */
  readonly lineGap: number;
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
  /** In the order of the arrows that were given: what each passes on its way from `from` to `to`, its label being one of them. */
  readonly arrows: readonly RankedArrow[];
}

interface RankedArrow {
  readonly stations: readonly RankItem[];
  /** The place of the label among the stations. */
  readonly label: number;
}

interface DagreArrow {
  readonly x: number;
  readonly y: number;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

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
  const rankOf = (y: number): number => levels.findIndex((level) => Math.abs(level - y) < 0.5);
  const toArrow = (size: ArrowSize, index: number): RankedArrow => {
    const points = inner[index] ?? [];
    const { x, y } = laidOut[index] as DagreArrow;
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
