import type { RalphEvent } from '../../core/events/event.ts';
import { QUALITY_GATE, SYSTEM } from '../../core/events/reserved.ts';
import { matchesTopic } from '../../core/events/topics.ts';
import type { DeliveryKind, Effect, EventPublish } from '../../core/run/effects.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import type { RunSpec } from '../../core/run/run-spec.ts';
import { type Handlers, handle, ignore } from '../../core/values/handlers.ts';
import { isJsonObject } from '../../core/values/json.ts';
import { createFlowGraph, createPlainNode } from '../../topology/graph/create-flow-graph.ts';
import { type FlowEdge, type FlowGraph, type FlowNode, toHatNodeId } from '../../topology/graph/flow-graph.ts';
import { compileTopology, type Topology } from '../../topology/routing/compile-topology.ts';
import { isCompletionTopic } from '../../topology/routing/queries.ts';
import { countUntil, createVersions } from './versions.ts';

export interface GraphFold {
  readonly take: (record: RunRecord) => void;
  /**
   * The graph of the team that the run has now, with counts; `null` before the run has begun.
   *
   * @param seq as it was after this input; default: the last one
   */
  readonly view: (seq?: number) => FlowGraph | null;
}

/** One way that an event went, and how often. `to`: a hat, `ralph`, or `null` where nobody got it. */
interface EventPassage {
  readonly from: string;
  readonly to: string | null;
  readonly topic: string;
  readonly how: DeliveryKind;
  /** Of the inputs on which it was decided, in order. */
  readonly seqs: number[];
}

/** A fold that counts turns by hat, and events by where they went. */
export function createGraphFold(): GraphFold {
  const teams = createVersions<() => Team>();
  const counts: Counts = { turns: new Map(), passages: new Map() };
  return {
    take: (record) => {
      if (record.kind === 'input') {
        const { seq, input } = record;
        if ((input.type === 'run-started' || input.type === 'run-resumed') && input.spec !== undefined)
          teams.set(seq, prepareTeam(input.spec));
      }
      if (record.kind === 'effect') handle(HANDLERS, record.effect, counts, record.seq);
    },
    view: (seq = Number.POSITIVE_INFINITY) => {
      const team = teams.at(seq);
      return team === undefined ? null : addCounts(team(), counts, seq);
    },
  };
}

/** A team, and what is the same for each of its graphs. */
interface Team {
  readonly topology: Topology;
  readonly graph: FlowGraph;
  readonly findEdge: (way: Way, topic: string) => FlowEdge | undefined;
}

/** It is compiled when somebody looks at it: of most runs of a list nobody does. */
function prepareTeam(spec: RunSpec): () => Team {
  let team: Team | undefined;
  return () => {
    if (team !== undefined) return team;
    const topology = compileTopology(spec);
    const graph = createFlowGraph(topology);
    team = { topology, graph, findEdge: createEdgeFinder(graph.edges) };
    return team;
  };
}

interface Counts {
  /** By hat: the inputs on which its turns began. */
  readonly turns: Map<string, number[]>;
  readonly passages: Map<string, EventPassage>;
}

const HANDLERS: Handlers<Effect, [counts: Counts, seq: number]> = {
  'iteration-start': ({ turns }, seq, { hat, attempt, isAgain }) => {
    if (attempt !== 1 || isAgain === true) return;
    const known = turns.get(hat);
    if (known === undefined) turns.set(hat, [seq]);
    else known.push(seq);
  },
  'iteration-stop': ignore,
  'gates-run': ignore,
  'timer-set': ignore,
  'checkpoint-make': ignore,
  'inbox-append': ignore,
  'hooks-ask': ignore,
  'tell-offer': ignore,
  'question-open': ignore,
  'question-close': ignore,
  'panel-ordered': ignore,
  'run-end': ignore,
  'event-publish': ({ passages }, seq, effect) => {
    if (effect.how === 'record' || effect.how === 'undelivered') return;
    if (effect.how === 'terminal') countPassage(passages, seq, effect, null);
    for (const to of effect.to) countPassage(passages, seq, effect, to);
  },
  'event-reject': ignore,
  notice: ignore,
};

function countPassage(passages: Counts['passages'], seq: number, { event, how }: EventPublish, to: string | null): void {
  const { topic } = event;
  const from = toPublisher(event);
  const key = `${from}\n${to ?? ''}\n${topic}\n${how}`;
  const known = passages.get(key);
  if (known === undefined) passages.set(key, { from, to, topic, how, seqs: [seq] });
  else known.seqs.push(seq);
}

/** Who is behind an event: of one that a gate blocked the hat whose event it was. */
function toPublisher({ source, payload }: RalphEvent): string {
  if (source !== QUALITY_GATE || !isJsonObject(payload)) return source;
  const { published_by: hat } = payload;
  return typeof hat === 'string' ? hat : source;
}

function addCounts({ topology, graph, findEdge }: Team, { turns, passages }: Counts, until: number): FlowGraph {
  const counts = new Map<string, number>();
  const seen: FlowEdge[] = [];
  for (const passage of passages.values()) {
    const count = countUntil(passage.seqs, until);
    if (count === 0) continue;
    const way = toWay(topology, passage);
    const edge = findEdge(way, passage.topic);
    if (edge === undefined) seen.push(toSeenEdge(way, passage.topic, count, `seen${seen.length + 1}`));
    else counts.set(edge.id, (counts.get(edge.id) ?? 0) + count);
  }
  const edges = [...graph.edges.map((edge) => ({ ...edge, count: counts.get(edge.id) ?? 0 })), ...seen];
  const toTurns = (hat: string): number => countUntil(turns.get(hat) ?? [], until);
  return { ...graph, nodes: addNodes(graph.nodes, edges).map((node) => toCounted(node, toTurns)), edges };
}

/** Where a passage would be drawn: the node it comes from (of several the first that has such an edge), and the node it goes to. */
interface Way {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

function toWay(topology: Topology, { from, to, topic, how }: EventPassage): Way {
  const toId = (who: string): string => (topology.hatById.has(who) ? toHatNodeId(who) : who);
  const sources = from === SYSTEM ? ['start', 'loop'] : [toId(from)];
  if (to === null) return { from: sources, to: isCompletionTopic(topology, topic) ? ['end'] : ['handoff'] };
  return { from: sources, to: how === 'safety-net' ? [toId(to), 'nobody'] : [toId(to)] };
}

/** Finds the edge that a topic went along: the one of that very topic, else a pattern; any that completes the run. */
function createEdgeFinder(edges: readonly FlowEdge[]): (way: Way, topic: string) => FlowEdge | undefined {
  const byWay = new Map<string, FlowEdge[]>();
  for (const edge of edges) {
    const key = `${edge.from}\n${edge.to}`;
    const known = byWay.get(key);
    if (known === undefined) byWay.set(key, [edge]);
    else known.push(edge);
  }
  return ({ from, to }, topic) => {
    const candidates = from.flatMap((source) => to.flatMap((target) => byWay.get(`${source}\n${target}`) ?? []));
    const isMeant = (edge: FlowEdge): boolean => edge.kind === 'complete' || matchesTopic(edge.topic, topic);
    return candidates.find((edge) => edge.topic === topic) ?? candidates.find(isMeant);
  };
}

function toSeenEdge({ from, to }: Way, topic: string, count: number, id: string): FlowEdge {
  const facts = { trigger: null, isDefault: false, isGated: false, isOnPath: false };
  return { id, from: from.at(-1) as string, to: to[0] as string, topic, kind: 'seen', ...facts, count };
}

const PLAIN_KINDS = ['start', 'loop', 'external', 'ralph', 'handoff', 'nobody', 'end'] as const;

/** The nodes, with those that only the edges of a past run have. */
function addNodes(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): readonly FlowNode[] {
  const used = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  const known = new Set(nodes.map((node) => node.id));
  const missing = PLAIN_KINDS.filter((kind) => used.has(kind) && !known.has(kind)).map(createPlainNode);
  return [...missing, ...nodes];
}

function toCounted(node: FlowNode, toTurns: (hat: string) => number): FlowNode {
  if (node.kind !== 'hat' && node.kind !== 'ralph') return node;
  return { ...node, turns: toTurns(node.label) };
}
