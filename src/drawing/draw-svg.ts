import { RalphError } from '../core/index.ts';
import { type FlowArrow, type FlowGraph, toEdgeText, toFlowArrows } from '../topology/index.ts';
import { layOut, type PlacedArrow, type Point, type Rect } from './lay-out.ts';
import { drawLabel, drawLine, drawNode, measureLabel, measureNode, num, toXmlText } from './svg-parts.ts';
import { SVG_STYLE } from './svg-style.ts';

const MARGIN = 16;

/** More than this is no picture any more; laying it out would take minutes. */
const MAX_NODES = 400;
const MAX_EDGES = 800;

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
  const toSize = ({ width, height }: Size): Size => (isDown ? { width, height } : { width: height, height: width });
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

interface Size {
  readonly width: number;
  readonly height: number;
}

function isLoop(arrow: FlowArrow): boolean {
  return arrow.from === arrow.to;
}

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

function createTooLarge(graph: FlowGraph): RalphError {
  return new RalphError({
    code: 'graph-too-large',
    what: `${graph.nodes.length} nodes and ${graph.edges.length} edges are too many for a picture.`,
    why: `Up to ${MAX_NODES} nodes and ${MAX_EDGES} edges can be laid out in reasonable time.`,
    fix: 'Take --format dot and a program for large graphs, --format json, or --path FROM..TO for a part of it.',
  });
}
