import { type FlowArrow, type FlowGraph, type FlowNode, toArrowLines, toFlowArrows, toMarkText, toNodeTitle } from './flow-graph.ts';

/** A flow graph in Mermaid's language, as GitHub and editors render it. Ids are counters; whatever the user named is quoted text. */
export function drawMermaid(graph: FlowGraph): string {
  const ids = new Map(graph.nodes.map((node, index) => [node.id, `n${index}`]));
  const idOf = (id: string): string => ids.get(id) ?? 'n0';
  const arrows = toFlowArrows(graph);
  return `${[
    'flowchart TD',
    ...graph.nodes.map((node) => `  ${idOf(node.id)}${toShape(node)}`),
    ...arrows.map((arrow) => `  ${idOf(arrow.from)} ${toLine(arrow)} ${idOf(arrow.to)}`),
    ...toStyles(graph, arrows, idOf),
  ].join('\n')}\n`;
}

const SHAPES: Readonly<Record<FlowNode['kind'], readonly [string, string]>> = {
  start: ['((', '))'],
  loop: ['([', '])'],
  hat: ['[', ']'],
  ralph: ['{{', '}}'],
  end: ['(((', ')))'],
  handoff: ['[/', '/]'],
  nobody: ['>', ']'],
  external: ['([', '])'],
};

function toShape(node: FlowNode): string {
  const [open, close] = SHAPES[node.kind];
  const lines = [toNodeTitle(node), node.detail, toMarkText(node)].filter((line) => line !== '');
  return `${open}"${lines.map(toText).join('<br/>')}"${close}`;
}

function toLine(arrow: FlowArrow): string {
  const text = toArrowLines(arrow, '🛡').map(toText).join('<br/>');
  if (arrow.isOnPath) return `==>|"${text}"|`;
  return arrow.isFaint ? `-.->|"${text}"|` : `-->|"${text}"|`;
}

function toStyles(graph: FlowGraph, arrows: readonly FlowArrow[], idOf: (id: string) => string): readonly string[] {
  const wrong = graph.nodes.filter((node) => node.kind === 'nobody' || node.marks.includes('unreachable')).map((node) => idOf(node.id));
  const onPath = graph.nodes.filter((node) => node.marks.includes('on-path')).map((node) => idOf(node.id));
  const wrongArrows = arrows.flatMap((arrow, index) => (arrow.isWrong ? [index] : []));
  return [
    ...(wrong.length === 0 ? [] : ['  classDef wrong stroke:#d1242f,stroke-width:2px', `  class ${wrong.join(',')} wrong`]),
    ...(onPath.length === 0 ? [] : ['  classDef path stroke-width:4px', `  class ${onPath.join(',')} path`]),
    ...(wrongArrows.length === 0 ? [] : [`  linkStyle ${wrongArrows.join(',')} stroke:#d1242f`]),
  ];
}

/** Text inside quotes: what means something to Mermaid or HTML is written by its number. */
function toText(text: string): string {
  return [...text]
    .map((char) => (/[\p{L}\p{N}\p{Emoji_Presentation} ._,;:(){}*×·↻🛡-]/u.test(char) ? char : toCharacterNumber(char)))
    .join('');
}

function toCharacterNumber(char: string): string {
  const code = char.codePointAt(0) ?? 0xfffd;
  return code < 32 || (code >= 127 && code < 160) ? ' ' : `#${code};`;
}
