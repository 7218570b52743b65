import {
  EXTERNAL,
  RALPH,
  SYSTEM,
  SYSTEM_TOPICS,
  TOPIC_COMPLETE,
  TOPIC_READY,
  TOPIC_START,
  toBlockedTopic,
} from '../../core/events/reserved.ts';
import { comparePrecedence, matchesTopic, toPrecedence } from '../../core/events/topics.ts';
import { type GateSpec, isRequiredGate, toGateName } from '../../core/gates/gate-spec.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import type { Topology } from '../routing/compile-topology.ts';
import { isCompletionTopic, isTerminalTopic, listedTargetOf, mayEnd, mayPublish, safetyNetOf, takersOf } from '../routing/queries.ts';
import { createFlowGraph } from './create-flow-graph.ts';
import type { FlowEdge, FlowGraph } from './flow-graph.ts';

export interface TraceRequest {
  /** A topic, not a pattern. */
  readonly topic: string;
  /** Who would publish it: a hat or `ralph`; absent: anybody who may. */
  readonly from?: string;
  /** How many hats deep to follow what may come of it. */
  readonly depth: number;
}

/** What would happen if an event were published now. Plain JSON. */
export interface TopicTrace {
  readonly topic: string;
  readonly from: string | null;
  /**
   * - `taken`: the takers get it. `completes`: the run ends, once gates and required events allow it.
   * - `terminal`: it is recorded, and nobody gets it. `safety-net`: no hat takes it, so Ralph gets it.
   * - `refused`: its author may not publish it, or may not end the run.
   */
  readonly outcome: 'taken' | 'completes' | 'terminal' | 'safety-net' | 'refused';
  readonly publishers: readonly TracePublisher[];
  /** Events that must have been published before, where it completes the run. */
  readonly requires: readonly string[];
  /** Commands that are run first. */
  readonly gates: readonly string[];
  /** What a failing gate makes of it, and who gets that; `null` where no gate guards it. */
  readonly blocked: { readonly topic: string; readonly to: readonly string[] } | null;
  readonly takers: readonly TraceMatch[];
  /** Hats that match too, but do not get it. */
  readonly others: readonly TraceMatch[];
  /** What may follow, hat by hat, nearest first; each hat once. */
  readonly next: readonly TraceHop[];
}

export interface TracePublisher {
  /** A hat, `ralph`, or `system` for the loop itself. */
  readonly who: string;
  /** The entry of `publishes` that allows it; `null` where none is needed. */
  readonly by: string | null;
  readonly target: string | null;
  readonly isDefault: boolean;
}

export interface TraceMatch {
  readonly hat: string;
  /** The trigger that matches; `null` where the event is meant for this hat or nobody else takes it. */
  readonly trigger: string | null;
  /** Why it is taken or not: `target`, `exact` or `pattern`; `net` or `entry` where no hat takes it and Ralph gets it, or the hat that begins; `lower-precedence`, or `later` of two equal ones in the file. */
  readonly why: 'target' | 'exact' | 'pattern' | 'net' | 'entry' | 'lower-precedence' | 'later';
}

export interface TraceHop {
  /** 1 for the takers themselves. */
  readonly depth: number;
  readonly hat: string;
  readonly edges: readonly FlowEdge[];
}

/** Follows an event through a team without running anything. Pure. */
export function traceTopic(topology: Topology, { topic, from, depth }: TraceRequest): TopicTrace {
  const publishers = listPublishers(topology, topic);
  const takers = findTakers(topology, topic, from === undefined ? publishers.map(({ who }) => who) : [from]);
  const outcome = findOutcome(topology, topic, { from, takers, publishers });
  const gates = findGates(topology, topic);
  const isGiven = outcome === 'taken' || outcome === 'safety-net';
  const taken = new Set(takers.map((taker) => taker.hat));
  return {
    topic,
    from: from ?? null,
    outcome,
    publishers,
    requires: isCompletionTopic(topology, topic) ? topology.spec.requiredEvents : [],
    gates,
    blocked: gates.length === 0 ? null : toBlocked(topology, topic, from),
    takers: isGiven ? takers : [],
    others: listMatches(topology, topic, takers).filter((match) => !taken.has(match.hat)),
    next: isGiven ? followHats(createFlowGraph(topology), [...taken], depth) : [],
  };
}

function listPublishers(topology: Topology, topic: string): readonly TracePublisher[] {
  const publishers = topology.hats.flatMap((hat): readonly TracePublisher[] => {
    const entry = hat.publishes.find((candidate) => matchesTopic(candidate.topic, topic));
    if (entry !== undefined) {
      return [{ who: hat.id, by: entry.topic, target: entry.target ?? null, isDefault: hat.defaultPublishes.includes(topic) }];
    }
    const isPromise = isCompletionTopic(topology, topic) && mayEnd(topology, hat.id);
    return isPromise ? [{ who: hat.id, by: null, target: null, isDefault: false }] : [];
  });
  const plain = { by: null, target: null, isDefault: false };
  const isRalphs = topology.coordination !== 'hats' && !topology.classic && mayPublish(topology, RALPH, topic);
  if (isRalphs || (isCompletionTopic(topology, topic) && mayEnd(topology, RALPH))) publishers.push({ who: RALPH, ...plain });
  const isStart = topic === TOPIC_START || topic === TOPIC_READY;
  if (topic === topology.startTopic || (!isStart && SYSTEM_TOPICS.includes(topic))) publishers.push({ who: SYSTEM, ...plain });
  return publishers;
}

/** Who gets it from one of these authors: from some by a target, from others by triggers; nobody's event goes by triggers. */
function findTakers(topology: Topology, topic: string, authors: readonly string[]): readonly TraceMatch[] {
  const targets = authors.map((author) => listedTargetOf(topology, author, topic));
  const named = [...new Set(targets.filter((target) => target !== undefined))].map((target): TraceMatch => {
    return { hat: topology.hatById.has(target) ? target : safetyNetOf(topology), trigger: null, why: 'target' };
  });
  const isOpen = authors.length === 0 || targets.includes(undefined);
  return isOpen ? [...named, ...findOpenTakers(topology, topic, { named, authors })] : named;
}

interface KnownTakers {
  readonly named: readonly TraceMatch[];
  readonly authors: readonly string[];
}

/** Who gets it without a target: a hat by its trigger; what begins the run and no hat takes goes to the hat that begins; else Ralph. */
function findOpenTakers(topology: Topology, topic: string, { named, authors }: KnownTakers): readonly TraceMatch[] {
  const takers = takersOf(topology, topic);
  if (takers.length === 0) {
    if (topic === topology.startTopic && authors.includes(SYSTEM)) return [{ hat: topology.entry, trigger: null, why: 'entry' }];
    return isTerminalTopic(topology, topic) && named.length > 0 ? [] : [{ hat: safetyNetOf(topology), trigger: null, why: 'net' }];
  }
  return takers
    .filter((hat) => !named.some((taker) => taker.hat === hat))
    .map((hat) => {
      const trigger = bestTrigger(topology.hatById.get(hat) as HatSpec, topic);
      return { hat, trigger, why: trigger === topic ? 'exact' : 'pattern' };
    });
}

/** The trigger by which a hat would take a topic: the one of the best precedence. */
function bestTrigger(hat: HatSpec, topic: string): string | null {
  const matching = hat.triggers.filter((trigger) => matchesTopic(trigger, topic));
  return matching.sort((a, b) => comparePrecedence(toPrecedence(b), toPrecedence(a)))[0] ?? null;
}

function listMatches(topology: Topology, topic: string, takers: readonly TraceMatch[]): readonly TraceMatch[] {
  const best = takers.find((taker) => taker.trigger !== null)?.trigger ?? null;
  return topology.hats.flatMap((hat): readonly TraceMatch[] => {
    const trigger = bestTrigger(hat, topic);
    if (trigger === null) return [];
    const isEqual = best !== null && comparePrecedence(toPrecedence(trigger), toPrecedence(best)) === 0;
    return [{ hat: hat.id, trigger, why: isEqual ? 'later' : 'lower-precedence' }];
  });
}

interface OutcomeFacts {
  readonly from: string | undefined;
  readonly takers: readonly TraceMatch[];
  readonly publishers: readonly TracePublisher[];
}

function findOutcome(topology: Topology, topic: string, { from, takers, publishers }: OutcomeFacts): TopicTrace['outcome'] {
  if (isCompletionTopic(topology, topic)) {
    return (from === undefined ? publishers.length > 0 : mayEnd(topology, from)) ? 'completes' : 'refused';
  }
  if (from !== undefined && !mayPublish(topology, from, topic)) return 'refused';
  if (takers[0]?.why !== 'net') return 'taken';
  return isTerminalTopic(topology, topic) ? 'terminal' : 'safety-net';
}

function findGates(topology: Topology, topic: string): readonly string[] {
  const isEnd = isCompletionTopic(topology, topic);
  const guarded = isEnd ? [TOPIC_COMPLETE, topic] : [topic];
  const isOn = (pattern: string): boolean => guarded.some((candidate) => matchesTopic(pattern, candidate));
  // Before the end every required gate must agree, whatever it guards.
  const isDue = (gate: GateSpec): boolean => isEnd && isRequiredGate(gate) && gate.hats === undefined;
  return topology.spec.gates.filter((gate) => gate.on.some(isOn) || isDue(gate)).map(toGateName);
}

/** The blocked topic goes to who takes it, else back to its author. */
function toBlocked(topology: Topology, topic: string, from: string | undefined): TopicTrace['blocked'] {
  const blocked = toBlockedTopic(isCompletionTopic(topology, topic) ? TOPIC_COMPLETE : topic);
  const takers = takersOf(topology, blocked);
  return { topic: blocked, to: takers.length > 0 ? takers : from === undefined || from === EXTERNAL ? [] : [from] };
}

function followHats(graph: FlowGraph, first: readonly string[], depth: number): readonly TraceHop[] {
  const byLabel = new Map(graph.nodes.map((node) => [node.kind === 'hat' ? node.label : node.id, node.id]));
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const leaving = new Map<string, FlowEdge[]>();
  for (const edge of graph.edges) {
    const known = leaving.get(edge.from);
    if (known === undefined) leaving.set(edge.from, [edge]);
    else known.push(edge);
  }
  const hops: TraceHop[] = [];
  const seen = new Set<string>();
  let level = first.flatMap((hat) => byLabel.get(hat) ?? []);
  for (let at = 1; at <= depth && level.length > 0; at += 1) {
    const following: string[] = [];
    for (const id of level) {
      const node = nodes.get(id);
      if (seen.has(id) || (node?.kind !== 'hat' && node?.kind !== 'ralph')) continue;
      seen.add(id);
      const edges = leaving.get(id) ?? [];
      hops.push({ depth: at, hat: node.label, edges });
      following.push(...edges.map((edge) => edge.to));
    }
    level = following;
  }
  return hops;
}
