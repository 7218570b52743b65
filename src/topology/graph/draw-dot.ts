import { maskControls } from '../../core/text/mask-controls.ts';
import { type FlowArrow, type FlowGraph, type FlowNode, toArrowLines, toFlowArrows, toMarkText, toNodeTitle } from './flow-graph.ts';

/** A flow graph in the language of Graphviz; every name is a quoted string. */
export function drawDot(graph: FlowGraph): string {
  return `${[
    'digraph flow {',
    '  rankdir=TB;',
    '  node [shape=box, style=rounded, fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=11];',
    ...graph.nodes.map(toNodeLine),
    ...toFlowArrows(graph).map(toArrowLine),
    '}',
  ].join('\n')}\n`;
}

const SHAPES: Readonly<Record<FlowNode['kind'], string>> = {
  start: 'circle',
  loop: 'oval',
  hat: 'box',
  ralph: 'hexagon',
  end: 'doublecircle',
  handoff: 'parallelogram',
  nobody: 'octagon',
  external: 'oval',
};

function toNodeLine(node: FlowNode): string {
  const lines = [toNodeTitle(node), node.detail, toMarkText(node)].filter((line) => line !== '');
  const attributes = [`label=${quote(lines.join('\n'))}`];
  if (node.kind !== 'hat') attributes.push(`shape=${SHAPES[node.kind]}`);
  if (node.kind === 'nobody' || node.marks.includes('unreachable')) attributes.push('color="#d1242f"', 'fontcolor="#d1242f"');
  if (node.marks.includes('on-path')) attributes.push('penwidth=3');
  return `  ${quote(node.id)} [${attributes.join(', ')}];`;
}

function toArrowLine(arrow: FlowArrow): string {
  const attributes = [`label=${quote(toArrowLines(arrow, '🛡').join('\n'))}`];
  if (arrow.isFaint) attributes.push('style=dashed', 'color="#8c959f"');
  if (arrow.isWrong) attributes.push('color="#d1242f"', 'fontcolor="#d1242f"');
  if (arrow.isOnPath) attributes.push('penwidth=3');
  return `  ${quote(arrow.from)} -> ${quote(arrow.to)} [${attributes.join(', ')}];`;
}

/** A double-quoted string; a new line is `\n`, other control characters are spaces. */
function quote(text: string): string {
  const escaped = maskControls(text, { by: ' ', keepsLines: true }).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${escaped.replaceAll('\n', '\\n')}"`;
}
