import { TOPIC_RESUME } from '../../core/events/reserved.ts';
import type { FlowEdge, FlowGraph } from '../../topology/graph/flow-graph.ts';
import type { RunView } from '../fold/run-view.ts';
import { toNextStep } from '../report/next-step.ts';
import type { StatusFacts } from '../report/running-report.ts';
import { toList, toPlainLine } from '../text/plain-text.ts';

type NextFacts = Pick<StatusFacts, 'isNewest' | 'isAlive' | 'isUnseen'>;

/**
 * Who works next and why. While an agent is at work that depends on what it publishes: `reviewer on build.done, or planner on build.blocked if a gate is red`. Of a run
 * that is over: who works when it goes on, or what can be done.
 */
export function toNextText(view: RunView, { isNewest, isAlive, isUnseen }: NextFacts, graph: FlowGraph | null): string {
  const isDead = !isAlive && isUnseen !== true;
  if (view.end?.reason === 'completed') return toNextStep(view, isNewest !== false);
  if (view.end !== null || isDead) {
    const who = toResumedText(view, graph);
    return who === '' ? toNextStep(view, isNewest !== false) : `After \`ralph resume\`: ${who}.`;
  }
  const [first] = view.pending;
  if (first !== undefined) return `${first.hat ?? 'Nobody'} works next, on ${toPlainLine(first.topic, 100)}.`;
  if (view.waiting !== null) return 'The same turn is tried again.';
  const working = view.turns.findLast(({ status }) => status === 'running');
  return working === undefined || graph === null ? '' : toLikelyText(graph, working.hat);
}

/** `builder works again on build.task`; empty: nobody can tell. */
function toResumedText({ pending, turns }: RunView, graph: FlowGraph | null): string {
  const last = turns.at(-1);
  const cutOff = turns.findLast(({ status }) => status === 'running');
  const due = turns.findLast(({ gatesDue }) => gatesDue !== undefined);
  if (cutOff !== undefined) return `${cutOff.hat} works again${toOn(cutOff.given.map(({ topic }) => topic))}`;
  if (due !== undefined) return `the gates run${toOn(due.gatesDue ?? [])} of ${due.hat}`;
  const [first] = pending;
  if (first !== undefined) {
    const isAgain = last?.status === 'interrupted' && last.given.some(({ id }) => id === first.id);
    return `${first.hat ?? 'nobody'} works${isAgain ? ' again' : ''}${toOn([first.topic])}`;
  }
  if (last?.status === 'interrupted' || last?.status === 'failed')
    return `${last.hat} works again${toOn(last.given.map(({ topic }) => topic))}`;
  // A turn whose events were refused is given a second chance, or not: that is not told here.
  if (graph === null || (last !== undefined && last.refused.length > 0)) return '';
  const start = graph.edges.find(({ topic }) => topic === TOPIC_RESUME);
  const hat = graph.nodes.find(({ id }) => id === start?.to);
  return hat === undefined ? '' : `${hat.label} works${toOn([TOPIC_RESUME])}`;
}

function toOn(topics: readonly string[]): string {
  const known = [...new Set(topics)].map((topic) => toPlainLine(topic, 100));
  return known.length === 0 ? '' : ` on ${toList(known, 3)}`;
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
