import { toSafeJson } from '../../core/index.ts';
import { drawDot, drawList, drawMermaid, type FlowGraph } from '../../topology/index.ts';
import type { Style } from '../style.ts';
import type { GraphFormat } from './graph-format.ts';

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
  switch (format) {
    case 'mermaid':
      return drawMermaid(graph);
    case 'dot':
      return drawDot(graph);
    case 'json':
      return `${toSafeJson({ v: 1, ...graph }, 2)}\n`;
    case 'svg': {
      const { drawSvg } = await import('../../drawing/index.ts');
      return drawSvg(graph, 'How events flow between the hats');
    }
    case 'unicode': {
      const { drawUnicode } = await import('../../drawing/index.ts');
      return drawUnicode(graph, look);
    }
  }
}
