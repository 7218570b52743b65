import { RALPH } from '../../core/events/reserved.ts';
import { hasWildcard, matchesTopic } from '../../core/events/topics.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { toHatsYaml, toOwnTopic } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { findComponents, findReached, type HatGraph } from '../analysis/hat-graph.ts';
import type { Topology } from '../routing/compile-topology.ts';
import { mayEnd, takersOf } from '../routing/queries.ts';

const SHOWN_HATS = 6;
const MAX_FINDINGS = 50;

/**
 * Hats that call each other for ever, with no way to one that may end the run. The recovery hat is no help: it is called when the queue is empty, and
 * here it never is. A way out is any turn that may leave the queue empty or leads to Ralph: of a hat that publishes nothing (which has a finding of its
 * own), with a terminal event, with a topic that nobody takes, or of a hat with `max_activations`. Of several cycles that lead into each other
 * only the last has a finding: a way out of it is a way out of all.
 */
export const checkEndlessCycles: FlowRule = (topology, facts) => {
  if (topology.coordination !== 'hats') return [];
  const graph = facts.hatGraph();
  if (graph === null || isEachSoonOut(topology, graph)) return [];
  const trapped = findTrapped(topology, graph);
  if (trapped.size === 0) return [];
  const { roots, failureRoots } = graph;
  const reached = findReached(graph, [...roots, ...failureRoots], { blocked: true });
  const hats = [...trapped].filter((hat) => reached.turns[hat] !== -1).sort((a, b) => a - b);
  const findings: FlowFinding[] = [];
  for (const members of findLastComponents(graph, hats)) {
    if (findings.length >= MAX_FINDINGS) break;
    const cycle = findCycle(graph, members);
    if (cycle.length > 0) findings.push(toFinding(topology, members, cycle));
  }
  return findings;
};

/**
 * True if one walk from the last hat to the first finds a way out for each: most teams are written in the order in which the work goes, and then a
 * hat leads to a later one that is free. False proves nothing.
 */
function isEachSoonOut(topology: Topology, graph: HatGraph): boolean {
  const { publishes, passages } = graph;
  const isFree = new Uint8Array(publishes.length);
  const isFreed = (hat: number): boolean => isFree[hat] === 1;
  for (let hat = publishes.length - 1; hat >= 0; hat -= 1) {
    const isOut = (publishes[hat] ?? []).some((place) => passages[place]?.takers.some(isFreed) === true);
    if (!isOut && !isWayOut(topology, graph, hat)) return false;
    isFree[hat] = 1;
  }
  return true;
}

/** The hats from which no way leads out, by going backwards from the ways out. */
function findTrapped(topology: Topology, graph: HatGraph): ReadonlySet<number> {
  const { publishes, passages, transitions } = graph;
  const publishersOf = invert(publishes, passages.length);
  const passagesTo = invert(
    passages.map((passage) => passage.takers),
    publishes.length,
  );
  const blocked = passages.map((passage) => passage.blockedTakers);
  const blockedPassagesTo = invert(blocked, publishes.length);
  const callersOf = invert(transitions, publishes.length);
  const isFree = new Uint8Array(publishes.length);
  const isOpen = new Uint8Array(passages.length);
  const queue: number[] = [];
  const free = (hat: number): void => {
    if (isFree[hat] === 0) queue.push(hat);
    isFree[hat] = 1;
  };
  const open = (place: number): void => {
    if (isOpen[place] === 0) publishersOf(place, free);
    isOpen[place] = 1;
  };
  for (const hat of publishes.keys()) if (isWayOut(topology, graph, hat)) free(hat);
  for (let at = 0; at < queue.length; at += 1) {
    const hat = queue[at] as number;
    callersOf(hat, free);
    passagesTo(hat, open);
    blockedPassagesTo(hat, open);
  }
  return queue.length === publishes.length ? NOBODY : new Set(publishes.flatMap((_, hat) => (isFree[hat] === 1 ? [] : [hat])));
}

const NOBODY: ReadonlySet<number> = new Set();

/** For lists of numbers below `count`: a function that visits, for a number, the lists that contain it. */
function invert(lists: readonly (readonly number[])[], count: number): (item: number, visit: (list: number) => void) => void {
  if (lists.every((list) => list.length === 0)) return () => undefined;
  const ends = new Int32Array(count + 1);
  for (const list of lists) for (const item of list) ends[item + 1] = (ends[item + 1] ?? 0) + 1;
  for (let item = 0; item < count; item += 1) ends[item + 1] = (ends[item + 1] ?? 0) + (ends[item] ?? 0);
  const starts = ends.slice();
  const inverted = new Int32Array(ends[count] ?? 0);
  lists.forEach((list, index) => {
    for (const item of list) {
      const at = starts[item] ?? 0;
      inverted[at] = index;
      starts[item] = at + 1;
    }
  });
  return (item, visit) => {
    const end = ends[item + 1] ?? 0;
    for (let at = ends[item] ?? 0; at < end; at += 1) visit(inverted[at] ?? 0);
  };
}

function isWayOut(topology: Topology, { passages, publishes, transitions }: HatGraph, place: number): boolean {
  const hat = topology.hats[place];
  if (hat === undefined || hat.maxActivations !== null || mayEnd(topology, hat.id) || hat.transitions.includes(RALPH)) return true;
  const own = publishes[place] ?? [];
  if (own.length === 0 && (transitions[place] ?? []).length === 0) return true;
  const isUntaken = (pattern: string, topic: string): boolean => matchesTopic(pattern, topic) && takersOf(topology, topic).length === 0;
  return own.some((at) => {
    const passage = passages[at];
    if (passage === undefined || passage.isToRalph || passage.takers.length === 0) return true;
    return hasWildcard(passage.topic) && topology.spec.terminalEvents.some((topic) => isUntaken(passage.topic, topic));
  });
}

/** The strongly connected hats that lead to nobody else, each group in the order of the file. */
function findLastComponents(graph: HatGraph, hats: readonly number[]): readonly (readonly number[])[] {
  const { passages, publishes, transitions } = graph;
  const count = publishes.length;
  const isAsked = new Set(hats);
  const nextOf = (node: number): readonly number[] => {
    if (node >= count) return passages[node - count]?.takers ?? [];
    return isAsked.has(node) ? (ways.get(node) ?? []) : [];
  };
  const ways = new Map(hats.map((hat) => [hat, [...(publishes[hat] ?? []).map((place) => place + count), ...(transitions[hat] ?? [])]]));
  const components = findComponents(count + passages.length, nextOf);
  const groupOf = new Map(components.flatMap((nodes, group) => nodes.map((node) => [node, group] as const)));
  const isLast = (nodes: readonly number[]): boolean =>
    nodes.every((node) => nextOf(node).every((next) => groupOf.get(next) === groupOf.get(node)));
  return components
    .filter((nodes) => isLast(nodes))
    .map((nodes) => nodes.filter((node) => isAsked.has(node)).sort((a, b) => a - b))
    .filter((members) => members.length > 0)
    .sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

interface CycleStep {
  readonly hat: number;
  /** What was published before; `null` for a `HAT_TRANSITION`. */
  readonly topic: string | null;
  readonly before: CycleStep | null;
}

/** The shortest way from the first of them back to itself, as its steps; empty where there is none. */
function findCycle({ passages, publishes, transitions }: HatGraph, [first = 0]: readonly number[]): readonly CycleStep[] {
  const queue: CycleStep[] = [{ hat: first, topic: null, before: null }];
  const seen = new Set<number>();
  for (let at = 0; at < queue.length; at += 1) {
    const step = queue[at] as CycleStep;
    const ways = [
      ...(publishes[step.hat] ?? []).map((place) => ({ topic: passages[place]?.topic ?? null, takers: passages[place]?.takers ?? [] })),
      { topic: null, takers: transitions[step.hat] ?? [] },
    ];
    for (const { topic, takers } of ways) {
      for (const hat of takers) {
        const next = { hat, topic, before: step };
        if (hat === first) return toSteps(next);
        if (!seen.has(hat)) queue.push(next);
        seen.add(hat);
      }
    }
  }
  return [];
}

function toSteps(last: CycleStep): readonly CycleStep[] {
  const steps: CycleStep[] = [];
  for (let step: CycleStep | null = last; step !== null; step = step.before) steps.push(step);
  return steps.reverse();
}

function toFinding(topology: Topology, members: readonly number[], cycle: readonly CycleStep[]): FlowFinding {
  const idOf = (hat: number): string => topology.hats[hat]?.id ?? '';
  const [first = ''] = members.map(idOf);
  const recovery = topology.recoveryHat ?? topology.entry;
  const topic = toOwnTopic(first, 'finished');
  const list = toHatsYaml(
    { hat: first, list: 'publishes', items: topology.hatById.get(first)?.publishes ?? [], added: topic },
    { hat: recovery, list: 'triggers', items: topology.hatById.get(recovery)?.triggers ?? [], added: topic },
  );
  const others = members.slice(1, SHOWN_HATS).map(idOf);
  return {
    code: 'cycle-without-exit',
    severity: 'warning',
    at: { kind: 'hat-list', hat: first, list: 'publishes' },
    message: `The cycle ${toCycleText(cycle, idOf)} has no exit.`,
    why: `None of ${members.length === 1 ? 'it' : 'these hats'} may end the run, and nothing that they publish leads to a hat that may. Each turn calls the next one until a limit stops the run.`,
    fix: `Either let a hat of the cycle hand over to '${recovery}':\n\n${list}\n\nor let one end the run itself: add ${topology.spec.promise} to its publishes.`,
    hats: members.slice(0, 20).map(idOf),
    topics: [...new Set(cycle.flatMap((step) => step.topic ?? []))].slice(0, 20),
    ...(others.length === 0
      ? {}
      : { related: others.map((hat) => ({ at: { kind: 'hat', hat } as const, message: `'${hat}' is in the cycle.` })) }),
  };
}

/** `builder → build.done → reviewer → review.rejected → builder`; a long one is cut in its middle. */
function toCycleText(cycle: readonly CycleStep[], idOf: (hat: number) => string): string {
  const words = cycle.map((step, index) =>
    index === 0 ? idOf(step.hat) : `→ ${step.topic === null ? '' : `${step.topic} → `}${idOf(step.hat)}`,
  );
  if (words.length <= SHOWN_HATS + 1) return words.join(' ');
  const more = words.length - 1 - SHOWN_HATS;
  return [...words.slice(0, SHOWN_HATS), `→ … (${more} more)`, ...words.slice(-1)].join(' ');
}
