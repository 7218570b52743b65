import { RALPH, TOPIC_COMPLETE, TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT, TOPIC_RESUME, toBlockedTopic } from '../../core/events/reserved.ts';
import { hasWildcard, intersectsPatterns, matchesTopic } from '../../core/events/topics.ts';
import type { HatSpec, PublishSpec } from '../../core/run/run-spec.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { Topology } from '../routing/compile-topology.ts';
import { isCompletionTopic, isTerminalTopic, mayEnd } from '../routing/queries.ts';
import { createTakerIndex, type TakerIndex } from '../routing/taker-index.ts';
import {
  type FlowEdge,
  type FlowEdgeKind,
  type FlowGraph,
  type FlowMark,
  type FlowNode,
  type FlowNodeKind,
  toHatNodeId,
} from './flow-graph.ts';

/** A graph with more edges is of no use. */
const MAX_EDGES = 100_000;

/** The label of a transition's edge. */
const HAND_ON = 'HAT_TRANSITION';

/**
 * The flow of events of a team as a graph. Total: teams with errors have one too, with what is wrong marked.
 *
 * @param findings what is known about the team; hats that are named in errors and warnings get their codes
 */
export function createFlowGraph(topology: Topology, findings: readonly Finding[] = []): FlowGraph {
  const edges = createEdgeList(MAX_EDGES);
  const takers = createTakerIndex(topology);
  addStart(edges, topology);
  addSystem(edges, topology, takers);
  for (const hat of topology.hats) addHat(edges, topology, takers, hat);
  if (topology.coordination === 'ralph') addRalph(edges, topology);
  else if (topology.hats.length === 0) edges.add({ from: RALPH, to: 'end', topic: topology.spec.promise, kind: 'complete' });
  const list = edges.list();
  return { coordination: topology.coordination, nodes: createFlowNodes(topology, list, findings), edges: list, isCut: edges.isCut() };
}

function addStart(edges: EdgeList, topology: Topology): void {
  const to = topology.entry === RALPH ? RALPH : toHatNodeId(topology.entry);
  edges.add({ from: 'start', to, topic: topology.startTopic, kind: 'start' });
}

/** What the loop publishes by itself: a call for the recovery hat, and failures of turns where a hat waits for them by name. */
function addSystem(edges: EdgeList, topology: Topology, takers: TakerIndex): void {
  if (topology.coordination === 'hats' && topology.hatById.has(topology.fallback)) {
    edges.add({ from: 'loop', to: toHatNodeId(topology.fallback), topic: TOPIC_RESUME, kind: 'system' });
  }
  for (const topic of [TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT]) {
    for (const { hat, trigger } of takers.takersOf({ topic })) {
      if (trigger !== null && trigger !== '*') edges.add({ from: 'loop', to: toHatNodeId(hat), topic, kind: 'system', trigger });
    }
  }
}

function addHat(edges: EdgeList, topology: Topology, takers: TakerIndex, hat: HatSpec): void {
  const from = toHatNodeId(hat.id);
  for (const publish of hat.publishes) {
    if (topology.classic || edges.isFull()) break;
    addPublish(edges, topology, { takers, from, publish, isDefault: hat.defaultPublishes.includes(publish.topic) });
  }
  for (const next of hat.transitions) {
    if (topology.hatById.has(next)) edges.add({ from, to: toHatNodeId(next), topic: HAND_ON, kind: 'transition' });
  }
  // After what the hat publishes itself: a blocked topic that it may publish is drawn as its own.
  for (const { topic } of hat.publishes) if (isGated(topology, topic)) addBlocked(edges, takers, { from, topic });
  if (!mayEnd(topology, hat.id)) return;
  const listed = hat.publishes.map((entry) => entry.topic).filter((topic) => isCompletionTopic(topology, topic));
  const topics = listed.length > 0 ? listed : [topology.spec.promise];
  for (const topic of topics) edges.add({ from, to: 'end', topic, kind: 'complete', isGated: isGated(topology, TOPIC_COMPLETE) });
}

interface HatPublish {
  readonly takers: TakerIndex;
  readonly from: string;
  readonly publish: PublishSpec;
  readonly isDefault: boolean;
}

function addPublish(edges: EdgeList, topology: Topology, { takers, from, publish, isDefault }: HatPublish): void {
  const { topic, target } = publish;
  if (isCompletionTopic(topology, topic)) return;
  const gated = isGated(topology, topic);
  const facts = { from, topic, isDefault, isGated: gated };
  const add = (to: string, kind: FlowEdgeKind, trigger: string | null = null): void => edges.add({ ...facts, to, kind, trigger });
  if (target !== undefined) {
    if (topology.hatById.has(target)) add(toHatNodeId(target), 'target');
    else add(target === RALPH ? RALPH : 'nobody', target === RALPH ? 'target' : 'orphan');
    return;
  }
  const found = takers.takersOf(publish);
  for (const { hat, trigger } of found) {
    if (edges.isFull()) return;
    add(toHatNodeId(hat), 'event', trigger);
  }
  if (found.length > 0) return;
  if (isTerminal(topology, topic)) add('handoff', 'handoff');
  else if (topology.coordination === 'ralph') add(RALPH, 'unclaimed');
  else add('nobody', 'orphan');
}

/** A failing gate publishes the blocked topic in the name of the hat; where nobody takes it, the hat gets it back itself. */
function addBlocked(edges: EdgeList, takers: TakerIndex, published: Pick<FlowEdge, 'from' | 'topic'>): void {
  if (hasWildcard(published.topic) || edges.isFull()) return;
  const topic = toBlockedTopic(published.topic);
  for (const { hat, trigger } of takers.takersOf({ topic })) {
    const to = toHatNodeId(hat);
    if (to !== published.from) edges.add({ from: published.from, to, topic, kind: 'blocked', trigger });
  }
}

/** A coordinating Ralph: he may end the run, and publishes what no hat does. */
function addRalph(edges: EdgeList, topology: Topology): void {
  const published = [topology.startTopic, ...topology.hats.flatMap((hat) => hat.publishes.map((entry) => entry.topic))];
  const exact = new Set(published);
  const patterns = [...new Set(published.filter(hasWildcard))].slice(0, 1000);
  const topics = [...exact].slice(0, 10_000);
  const isPublished = (trigger: string): boolean =>
    exact.has(trigger) || (hasWildcard(trigger) ? topics : patterns).some((topic) => intersectsPatterns(topic, trigger));
  const errors = [TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT];
  for (const hat of topology.hats) {
    for (const topic of hat.triggers) {
      if (isPublished(topic) || errors.some((error) => topic !== '*' && matchesTopic(topic, error))) continue;
      const gated = isGated(topology, topic);
      edges.add({ from: RALPH, to: toHatNodeId(hat.id), topic, kind: 'ralph', trigger: topic, isGated: gated });
    }
  }
  edges.add({ from: RALPH, to: 'end', topic: topology.spec.promise, kind: 'complete', isGated: isGated(topology, TOPIC_COMPLETE) });
}

function isGated(topology: Topology, topic: string): boolean {
  return topology.spec.gates.some((gate) => gate.on.some((pattern) => intersectsPatterns(pattern, topic)));
}

function isTerminal(topology: Topology, topic: string): boolean {
  if (!hasWildcard(topic)) return isTerminalTopic(topology, topic);
  return topology.spec.terminalEvents.some((terminal) => matchesTopic(topic, terminal));
}

/** An edge to be added; an absent flag is false. */
type EdgeFacts = Pick<FlowEdge, 'from' | 'to' | 'topic' | 'kind'> & Partial<Pick<FlowEdge, 'trigger' | 'isDefault' | 'isGated'>>;

/** Edges under construction. */
interface EdgeList {
  /** Adds an edge, unless the same topic goes the same way already. */
  readonly add: (facts: EdgeFacts) => void;
  readonly isFull: () => boolean;
  /** True if edges were refused because the list was full. */
  readonly isCut: () => boolean;
  readonly list: () => readonly FlowEdge[];
}

/** An empty list that takes at most `limit` edges. */
function createEdgeList(limit: number): EdgeList {
  const edges = new Map<string, FlowEdge>();
  let isCut = false;
  return {
    add: ({ from, to, topic, kind, trigger = null, isDefault = false, isGated = false }) => {
      const key = `${from}\n${to}\n${topic}`;
      if (edges.has(key)) return;
      if (edges.size >= limit) {
        isCut = true;
        return;
      }
      edges.set(key, { id: `e${edges.size + 1}`, from, to, topic, kind, trigger, isDefault, isGated, isOnPath: false });
    },
    isFull: () => edges.size >= limit,
    isCut: () => isCut,
    list: () => [...edges.values()],
  };
}

const DETAILS: Readonly<Record<Exclude<FlowNodeKind, 'hat'>, string>> = {
  start: '',
  loop: 'publishes by itself',
  ralph: 'coordinator',
  end: 'the run is completed',
  handoff: 'terminal events',
  nobody: 'no hat takes it',
  external: 'people and other programs',
};
const LABELS: Readonly<Partial<Record<FlowNodeKind, string>>> = { loop: 'the loop', handoff: 'hand-off', external: 'outside' };

/** The nodes of a graph: every hat in the order of the file, and of the others those that have edges. */
function createFlowNodes(topology: Topology, edges: readonly FlowEdge[], findings: readonly Finding[]): readonly FlowNode[] {
  const used = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  const codes = listCodes(findings);
  const only = (kind: Exclude<FlowNodeKind, 'hat'>): readonly FlowNode[] => {
    if (!used.has(kind)) return [];
    return [{ ...createPlainNode(kind), marks: kind === RALPH ? toRalphMarks(topology) : [] }];
  };
  const hats = topology.hats.map((hat): FlowNode => {
    const found = codes.get(hat.id) ?? [];
    const detail = toPlain(hat.name) === toPlain(hat.id) ? '' : hat.name;
    const marks = toMarks(topology, hat.id, found);
    return { id: toHatNodeId(hat.id), kind: 'hat', label: hat.id, detail, marks, findings: found };
  });
  return [...only('start'), ...only('loop'), ...only('ralph'), ...hats, ...only('handoff'), ...only('nobody'), ...only('end')];
}

/** `Code Reviewer` says no more than `code-reviewer`. */
function toPlain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

/** A node that stands for no hat. */
export function createPlainNode(kind: Exclude<FlowNodeKind, 'hat'>): FlowNode {
  return { id: kind, kind, label: LABELS[kind] ?? kind, detail: DETAILS[kind], marks: [], findings: [] };
}

function toMarks(topology: Topology, hat: string, found: readonly string[]): readonly FlowMark[] {
  const marks: FlowMark[] = [];
  if (topology.entry === hat) marks.push('entry');
  if (topology.coordination === 'hats' && topology.recoveryHat === hat) marks.push('recovery');
  if (mayEnd(topology, hat)) marks.push('may-end');
  if (found.includes('hat-unreachable')) marks.push('unreachable');
  return marks;
}

function toRalphMarks(topology: Topology): readonly FlowMark[] {
  const marks: FlowMark[] = topology.entry === RALPH ? ['entry'] : [];
  if (mayEnd(topology, RALPH)) marks.push('may-end');
  return marks;
}

/** The codes of errors and warnings by the hat that they name first: that is the one they are about. */
function listCodes(findings: readonly Finding[]): ReadonlyMap<string, readonly string[]> {
  const codes = new Map<string, string[]>();
  for (const { code, severity, hats } of findings) {
    const [hat] = hats ?? [];
    if (hat === undefined || (severity !== 'error' && severity !== 'warning')) continue;
    const known = codes.get(hat) ?? [];
    if (!known.includes(code)) codes.set(hat, [...known, code]);
  }
  return codes;
}
