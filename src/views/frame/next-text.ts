import type { FlowEdge, FlowGraph } from '../../topology/graph/index.ts';
import type { RunView } from '../fold/run-view.ts';
import { toNextStep } from '../report/next-step.ts';
import type { StatusFacts } from '../report/running-report.ts';
import { toPlainLine } from '../text/plain-text.ts';

/**
 * Who works next and why. While an agent is at work that depends on what it publishes: `reviewer on build.done, or planner on build.blocked if a gate is red`. Of a run
 * that has ended: what can be done.
 */
export function toNextText(view: RunView, { isNewest }: Pick<StatusFacts, 'isNewest'>, graph: FlowGraph | null): string {
  const [first] = view.pending;
  const next = first === undefined ? '' : `${first.hat ?? 'Nobody'} works next, on ${toPlainLine(first.topic, 100)}.`;
  if (view.end !== null) {
    const step = toNextStep(view, isNewest !== false);
    return view.end.reason === 'completed' || next === '' ? step : `${step} ${next}`.trim();
  }
  if (next !== '') return next;
  if (view.waiting !== null) return 'The same turn is tried again.';
  const working = view.turns.findLast(({ status }) => status === 'running');
  return working === undefined || graph === null ? '' : toLikelyText(graph, working.hat);
}

const SHOWN_WAYS = 4;

/** Who takes what the hat at work may publish. */
function toLikelyText({ nodes, edges }: FlowGraph, hat: string): string {
  const names = new Map(nodes.map(({ id, label }) => [id, label]));
  const ways = edges.filter(({ from }) => names.get(from) === hat).flatMap((edge) => toWay(edge, names.get(edge.to) ?? edge.to));
  const known = [...new Set(ways)].map((way) => toPlainLine(way, 100));
  const more = known.length - SHOWN_WAYS;
  return [...known.slice(0, SHOWN_WAYS), ...(more > 0 ? [`${more} more`] : [])].join(', or ');
}

function toWay({ kind, topic }: FlowEdge, to: string): readonly string[] {
  switch (kind) {
    case 'event':
    case 'target':
    case 'ralph':
    case 'unclaimed':
      return [`${to} on ${topic}`];
    case 'transition':
      return [`${to} by a handover`];
    case 'blocked':
      return [`${to} on ${topic} if a gate is red`];
    case 'complete':
    case 'handoff':
      return [`the end on ${topic}`];
    case 'start':
    case 'system':
    case 'orphan':
    case 'seen':
      return [];
  }
}
