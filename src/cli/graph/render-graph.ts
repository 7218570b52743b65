import { RalphError } from '../../core/index.ts';
import { drawDot, drawList, drawMermaid, type FlowGraph } from '../../topology/index.ts';
import type { Style } from '../style.ts';
import type { GraphFormat } from './graph-format.ts';

/** More than this is no picture any more; laying it out would take minutes. */
const MAX_DRAWN_NODES = 400;
const MAX_DRAWN_EDGES = 800;

/** How a drawing for the terminal looks. */
export interface GraphLook {
  readonly columns: number;
  readonly style: Style;
}

/** A graph as text. */
export interface RenderedGraph {
  /** Ends with a new line. */
  readonly text: string;
  /** True if it was to be drawn in characters, and is listed because it would be too wide. */
  readonly isListed: boolean;
}

/** A graph in one of the formats. Throws RalphError `graph-too-large` where it cannot be drawn as a picture. */
export async function renderGraph(graph: FlowGraph, format: GraphFormat, look: GraphLook): Promise<RenderedGraph> {
  const text = await renderAs(graph, format, look);
  return { text: text ?? drawList(graph), isListed: text === null };
}

/** `null` where a drawing in characters would be too wide. */
async function renderAs(graph: FlowGraph, format: GraphFormat, look: GraphLook): Promise<string | null> {
  const isLarge = graph.nodes.length > MAX_DRAWN_NODES || graph.edges.length > MAX_DRAWN_EDGES;
  switch (format) {
    case 'mermaid':
      return drawMermaid(graph);
    case 'dot':
      return drawDot(graph);
    case 'json':
      return `${JSON.stringify({ v: 1, ...graph }, null, 2)}\n`;
    case 'svg': {
      if (isLarge) throw createTooLarge(graph);
      const { drawSvg } = await import('../../drawing/index.ts');
      return drawSvg(graph, 'How events flow between the hats');
    }
    case 'unicode': {
      const { drawUnicode } = await import('../../drawing/index.ts');
      return drawUnicode(graph, look);
    }
  }
}

function createTooLarge(graph: FlowGraph): RalphError {
  return new RalphError({
    code: 'graph-too-large',
    what: `${graph.nodes.length} nodes and ${graph.edges.length} edges are too many for a picture.`,
    why: `Up to ${MAX_DRAWN_NODES} nodes and ${MAX_DRAWN_EDGES} edges can be laid out in reasonable time.`,
    fix: 'Take --format dot and a program for large graphs, --format json, or --path FROM..TO for a part of it.',
  });
}
