import { maskControls } from '../../core/index.ts';
import type { FlowMark, FlowNode } from '../flow-graph.ts';

const WORDS: Readonly<Partial<Record<FlowMark, string>>> = {
  entry: 'entry',
  recovery: 'recovery',
  'may-end': 'may end',
  unreachable: 'unreachable',
};

/** The label of a node, with its turns in a past run: `builder ×3`. */
export function toNodeTitle(node: FlowNode): string {
  return node.turns === undefined ? node.label : `${node.label} ×${node.turns}`;
}

/** What is special about a node in words: `entry · recovery · may end`; empty where nothing is. */
export function toMarkText(node: Pick<FlowNode, 'kind' | 'marks'>): string {
  if (node.kind !== 'hat' && node.kind !== 'ralph') return '';
  return node.marks.flatMap((mark) => WORDS[mark] ?? []).join(' · ');
}

/** A name on one line, cut to a number of characters, without what would steer a terminal. */
export function toShortText(text: string, limit: number): string {
  const plain = [...maskControls(text.slice(0, limit * 4 + 100), { by: ' ' })];
  return plain.length <= limit ? plain.join('') : `${plain.slice(0, limit - 1).join('')}…`;
}
