import { hasWildcard } from '../../core/events/topics.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { shorten } from '../../core/text/shorten.ts';
import { toHatsYaml, toOwnTopic } from '../analysis/fix-yaml.ts';
import { type FlowRule, UNCHECKED } from '../analysis/flow-rule.ts';
import { createNearTopics, type NearTopics } from '../analysis/near-topics.ts';
import { listRootTopics } from '../analysis/publishable.ts';
import type { Route, Topology } from '../routing/compile-topology.ts';
import { isCompletionTopic, isTerminalTopic } from '../routing/queries.ts';
import { createTakerIndex } from '../routing/taker-index.ts';

/** The first findings show the whole flow; later ones, which nobody reads one by one, its first line. */
const MAX_FLOWS = 20;
const MAX_TOPICS = 20;

/**
 * Every hat can get a turn. Ralph can call any hat, so under `ralph` there is nothing to say. A hat without triggers, or with
 * one that could not be read, has a finding of its own already: it counts as reached.
 */
export const checkReach: FlowRule = (topology, facts) => {
  if (topology.coordination !== 'hats') return [];
  const isExcused = (hat: HatSpec): boolean => hat.triggers.length === 0 || Object.hasOwn(facts.looseTriggers, hat.id);
  const excused = topology.hats.filter(isExcused).map((hat) => hat.id);
  const reach = findReach(topology, excused);
  if (!reach.isWhole) return [UNCHECKED];
  const lost = topology.hats.filter((_, place) => reach.isReached[place] === 0);
  if (lost.length === 0) return [];
  const flow = renderFlow(topology);
  const near = createNearTopics([...listPublished(topology, reach.isReached), ...listRootTopics(topology)]);
  return lost.map((hat, index) => toFinding(topology, hat, index < MAX_FLOWS ? flow : flow.slice(0, 1), near));
};

/** What hats that are reached publish: one of these was perhaps meant, or one that the loop itself publishes. */
function* listPublished(topology: Topology, isReached: Uint8Array): Iterable<string> {
  for (const [place, hat] of topology.hats.entries()) {
    if (isReached[place] === 0) continue;
    for (const entry of hat.publishes) if (entry.target === undefined) yield entry.topic;
  }
}

function toFinding(topology: Topology, hat: HatSpec, flow: readonly string[], near: NearTopics): FlowFinding {
  const { id, triggers } = hat;
  const meant = triggers.map((trigger) => ({ trigger, topic: near.find(trigger) })).find(({ topic }) => topic !== undefined);
  const hint =
    meant === undefined ? '' : ` Its trigger '${meant.trigger}' is nearly '${meant.topic}', which can come up: is that what was meant?`;
  const last = flow[flow.length - 1] ?? '';
  const gap = `${' '.repeat(Math.max(2, Math.min(last.lastIndexOf('→'), 60)))}↳ (no path to ${clipName(id)})`;
  return {
    code: 'hat-unreachable',
    severity: 'error',
    at: { kind: 'hat', hat: id },
    message: `Hat '${id}' is unreachable from entry point.`,
    why: `No event path leads from '${topology.startTopic}' to '${id}'. This hat will never execute.${hint}\n\nEvent flow graph:\n${[...flow, gap].join('\n')}`,
    fix: toFix(topology, hat),
    hats: [id],
    topics: triggers.slice(0, MAX_TOPICS),
    related: [{ at: { kind: 'hat-list', hat: id, list: 'triggers' }, message: 'No hat on the way publishes any of these.' }],
  };
}

function toFix(topology: Topology, { id, triggers }: HatSpec): string {
  const publisher = topology.hatById.get(topology.entry) ?? topology.hats[0];
  const trigger = triggers.find((topic) => !isCompletionTopic(topology, topic));
  const added = trigger?.replaceAll('*', 'request') ?? toOwnTopic(id, 'request');
  const publish = { hat: publisher?.id ?? id, list: 'publishes', items: publisher?.publishes ?? [], added } as const;
  if (trigger === undefined) {
    const yaml = toHatsYaml(publish, { hat: id, list: 'triggers', items: [added] });
    return `A completion ends the run, so nobody is called by it. Let a hat hand over to '${id}' before that:\n\n${yaml}\n\nor remove '${id}' if it is not needed.`;
  }
  const yaml = publisher === undefined ? '' : toHatsYaml(publish);
  return `Let a hat that is reached publish what '${id}' triggers on:\n\n${yaml}\n\nor remove '${id}' if it is not needed.`;
}

/** Which hats can ever get a turn. */
interface FlowReach {
  /** By the places of hats in the file: 1 for those that can. */
  readonly isReached: Uint8Array;
  /** False where the team has so many patterns that not all were looked at. */
  readonly isWhole: boolean;
}

/**
 * Follows the events from what the loop itself publishes through everything that hats may publish, name as a target or hand on to. Where two
 * hats claim a topic, both count: that is an error of its own. Iterative; each trigger is passed once.
 *
 * @param given hats that count as reached whatever they take
 */
function findReach(topology: Topology, given: Iterable<string>): FlowReach {
  const index = createTakerIndex(topology);
  const { hats, routes } = topology;
  const isReached = new Uint8Array(hats.length);
  const isPassed = new Uint8Array(routes.exact.size + routes.patterns.length);
  const queue: number[] = [];
  const topics = new Set<string>();
  const reachHat = (place: number | undefined): void => {
    if (place === undefined || isReached[place] !== 0) return;
    isReached[place] = 1;
    queue.push(place);
  };
  const reachRoute = (route: Route): boolean => {
    if (isPassed[route.place] === 1) return true;
    isPassed[route.place] = 1;
    // A completion ends the run: whoever waits for it never has a turn.
    if (!isCompletionTopic(topology, route.pattern)) route.takers.forEach(reachHat);
    return queue.length < hats.length;
  };
  const reachTopic = (topic: string, exact = routes.exact.get(topic)): boolean => {
    if (exact !== undefined) reachRoute(exact);
    if (exact !== undefined || topics.has(topic) || queue.length === hats.length) return true;
    topics.add(topic);
    return index.visitRoutes(topic, reachRoute);
  };
  for (const id of [topology.entry, topology.fallback, ...given]) reachHat(routes.positions.get(id));
  let isWhole = listRootTopics(topology).every((topic) => reachTopic(topic));
  const exact = index.listExact();
  for (let at = 0; at < queue.length && isWhole; at += 1) {
    const place = queue[at] as number;
    const hat = hats[place] as HatSpec;
    const own = exact[place];
    hat.transitions.forEach((id) => {
      reachHat(routes.positions.get(id));
    });
    hat.publishes.forEach(({ topic, target }, entry) => {
      if (target !== undefined) reachHat(routes.positions.get(target));
      else isWhole &&= reachTopic(topic, own?.[entry]);
    });
    hat.defaultPublishes.forEach((topic) => {
      isWhole &&= reachTopic(topic);
    });
  }
  return { isReached, isWhole };
}

const MAX_LINES = 10;
const MAX_COLUMNS = 92;
const MAX_NAME = 28;
/** At most this many topics of a hat, and takers of a topic, are drawn. */
const MAX_FROM_ONE = 20;

/** Something that a hat publishes, and the hat that takes it or words in brackets. */
interface FlowStep {
  readonly topic: string;
  readonly taker: string;
  readonly isHat: boolean;
}

interface Walk {
  /** True for a hat that was not there before. */
  readonly meet: (hat: string) => boolean;
  /** What a hat publishes next; `take` says that it is drawn. */
  readonly peek: (hat: string) => FlowStep | undefined;
  readonly take: (hat: string) => void;
  /** The first hat that was met and has more to publish. */
  readonly next: () => string | undefined;
}

/**
 * The flow of events from the entry as lines of text, bounded in both directions: `task.start → planner → build.task → builder`. A line follows
 * the events until it meets a hat that was there before; the next begins at a hat that has more to publish.
 */
export function renderFlow(topology: Topology): readonly string[] {
  const walk = createWalk(topology);
  walk.meet(topology.entry);
  const lines: string[] = [];
  let head = `${clipName(topology.startTopic)} → ${clipName(topology.entry)}`;
  for (let from: string | undefined = topology.entry; from !== undefined; head = clipName(from ?? '')) {
    if (lines.length >= MAX_LINES) return [...lines, '  …'];
    const drawn = drawLine(walk, from, head);
    lines.push(`  ${drawn.line}`);
    from = drawn.brokenAt ?? walk.next();
  }
  return lines;
}

/** A name as it is drawn: at most 28 characters. */
function clipName(name: string): string {
  return shorten(name, MAX_NAME);
}

function drawLine(walk: Walk, from: string, head: string): { readonly line: string; readonly brokenAt?: string } {
  let line = head;
  for (let hat = from; ; ) {
    const step = walk.peek(hat);
    if (step === undefined) return { line };
    const longer = `${line} → ${clipName(step.topic)} → ${step.isHat ? clipName(step.taker) : step.taker}`;
    if (longer.length > MAX_COLUMNS && line !== clipName(from)) return { line, brokenAt: hat };
    walk.take(hat);
    line = longer;
    if (!step.isHat || !walk.meet(step.taker)) return { line };
    hat = step.taker;
  }
}

function createWalk(topology: Topology): Walk {
  const left = new Map<string, FlowStep[]>();
  const met: string[] = [];
  let done = 0;
  return {
    meet: (hat) => {
      if (left.has(hat)) return false;
      left.set(hat, listSteps(topology, hat));
      met.push(hat);
      return true;
    },
    peek: (hat) => left.get(hat)?.[0],
    take: (hat) => left.get(hat)?.shift(),
    next: () => {
      while (done < met.length && left.get(met[done] ?? '')?.length === 0) done += 1;
      return met[done];
    },
  };
}

function listSteps(topology: Topology, hat: string): FlowStep[] {
  const index = createTakerIndex(topology);
  const entries = topology.hatById.get(hat)?.publishes.slice(0, MAX_FROM_ONE) ?? [];
  return entries.flatMap((entry): readonly FlowStep[] => {
    const takers = index.takersOf(entry).slice(0, MAX_FROM_ONE);
    if (takers.length > 0) return takers.map((taker) => ({ topic: entry.topic, taker: taker.hat, isHat: true }));
    const isEnd = !hasWildcard(entry.topic) && isTerminalTopic(topology, entry.topic);
    return [{ topic: entry.topic, taker: isEnd ? '(end)' : '(no subscriber)', isHat: false }];
  });
}
