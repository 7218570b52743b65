import { hasWildcard } from '../../core/events/topics.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding, RelatedSubject } from '../../core/schema/finding.ts';
import { toHatsYaml } from '../analysis/fix-yaml.ts';
import type { FlowRule, Orphan } from '../analysis/flow-rule.ts';
import { createNearPatterns, createNearTopics } from '../analysis/near-topics.ts';
import { createNearTriggers, createSlipJudge, type NearTrigger, type Slip, toSpellingRepairs } from '../analysis/near-triggers.ts';
import { listRootTopics } from '../analysis/publishable.ts';
import {
  addPattern,
  createPatternTrie,
  findTakers,
  type PatternTrie,
  type Route,
  type StepBudget,
  type Topology,
  visitMeeting,
} from '../routing/compile-topology.ts';
import { createTakerIndex } from '../routing/taker-index.ts';

/**
 * Topics that are nearly what another hat writes. Under `ralph`, Ralph takes what no hat takes and can call any hat: so there is a finding only where
 * a misspelling is likely. Where both spellings are written equally often it stands at what is published; `createSlipJudge` says which one is
 * mended. Triggers that wait in vain are told under `hats` too: what is published there is told by `checkOrphans`.
 */
export const checkNearMisses: FlowRule = (topology, facts) => {
  if (topology.coordination === 'solo') return [];
  const { orphans } = facts.orphans();
  const near = orphans.length === 0 ? () => undefined : createNearTriggers(topology);
  const events: FlowFinding[] = [];
  const told = new Set<string>();
  for (const orphan of orphans) {
    const meant = near(orphan.topic);
    if (meant === undefined || (topology.coordination === 'ralph' && !meant.isLikely)) continue;
    if (topology.coordination === 'ralph') events.push(toEventFinding(topology, orphan, meant));
    told.add(orphan.topic).add(meant.taker?.trigger ?? meant.topic);
  }
  return [...events, ...findDeadTriggers(topology, told)];
};

function toEventFinding(topology: Topology, { hat, topic, list }: Orphan, meant: NearTrigger): FlowFinding {
  const { taker } = meant;
  const isTrigger = meant.slip === 'right' && taker !== null;
  const question = taker === null ? `${meant.topic}', ${meant.fate}?` : `${meant.topic}'?`;
  return {
    code: 'event-near-miss',
    severity: 'warning',
    at: { kind: 'hat-item', hat, list, item: topic },
    message: isTrigger
      ? `No hat takes '${topic}', published by '${hat}': is '${topic}' meant by '${meant.topic}', which '${taker.hat}' triggers on?`
      : `No hat takes '${topic}', published by '${hat}': did you mean '${question}`,
    why: toReason(topic, meant),
    fix: isTrigger ? toTriggerFix(topology, topic, taker) : toTopicFix(topology, { hat, topic }, meant),
    hats: taker === null ? [hat] : [hat, taker.hat],
    topics: [topic, meant.topic],
    ...(taker === null ? {} : { related: [toRelated(taker)] }),
    repairs: toSpellingRepairs(topic, meant),
  };
}

function toReason(topic: string, { taker, topic: meant, fate }: NearTrigger): string {
  return taker === null
    ? `'${meant}' is a topic ${fate}; '${topic}' goes to Ralph instead.`
    : `'${taker.hat}' triggers on '${taker.trigger}'; '${topic}' goes to Ralph instead.`;
}

function toRelated({ hat, trigger }: NonNullable<NearTrigger['taker']>): RelatedSubject {
  return { at: { kind: 'hat-item', hat, list: 'triggers', item: trigger }, message: `'${hat}' triggers on '${trigger}' here.` };
}

function toTopicFix(topology: Topology, { hat, topic }: Pick<Orphan, 'hat' | 'topic'>, meant: NearTrigger): string {
  const items = topology.hatById.get(hat)?.publishes.map((entry) => (entry.topic === topic ? { ...entry, topic: meant.topic } : entry));
  return `Write '${meant.topic}':\n\n${toHatsYaml({ hat, list: 'publishes', items: items ?? [] })}`;
}

function toTriggerFix(topology: Topology, topic: string, { hat, trigger }: NonNullable<NearTrigger['taker']>): string {
  const items = topology.hatById.get(hat)?.triggers.map((item) => (item === trigger ? topic : item));
  return `Write '${topic}':\n\n${toHatsYaml({ hat, list: 'triggers', items: items ?? [] })}`;
}

/** More than this are not told: whoever has more has another problem. */
const MAX_FINDINGS = 100;
/** Steps for all triggers of a team together. */
const MAX_STEPS = 2_000_000;

/**
 * Triggers that nothing meets, where one is nearly what a hat or the loop itself publishes. Under `hats` a hat of which no trigger is met has an error of
 * its own, which says so.
 *
 * @param told topics and triggers that another finding speaks of
 */
function findDeadTriggers(topology: Topology, told: ReadonlySet<string>): readonly FlowFinding[] {
  const unmet = listUnmet(topology);
  if (unmet.size === 0) return [];
  const dead = topology.hats.flatMap((hat) => {
    const triggers = hat.triggers.filter((trigger) => unmet.has(trigger));
    const isLost = topology.coordination === 'hats' && triggers.length === hat.triggers.length;
    return isLost ? [] : triggers.filter((trigger) => !told.has(trigger)).map((trigger) => ({ hat, trigger }));
  });
  if (dead.length === 0) return [];
  const find = createMeantSearch(topology);
  const findings: FlowFinding[] = [];
  for (const { hat, trigger } of dead) {
    const meant = find(trigger);
    if (meant !== undefined && !hat.triggers.includes(meant.topic)) findings.push(toTriggerFinding(topology, hat, trigger, meant));
    if (findings.length === MAX_FINDINGS) break;
  }
  return findings;
}

interface Meant {
  /** What to write instead. */
  readonly topic: string;
  /** What is published: the same, or a pattern that meets it or is met by it. */
  readonly published: string;
  /** Whether what is published or the trigger is the slip of the pen. */
  readonly slip: Slip;
}

function createMeantSearch(topology: Topology): (trigger: string) => Meant | undefined {
  const published = [...listPublished(topology), ...listRootTopics(topology)];
  const near = createNearTopics(published.filter((topic) => !hasWildcard(topic)));
  const nearPattern = createNearPatterns(published);
  const judge = createSlipJudge(topology);
  return (trigger) => {
    const topic = near.find(trigger);
    if (topic !== undefined) return { topic, published: topic, slip: judge.compare(topic, trigger) };
    const pattern = nearPattern(trigger);
    return pattern === undefined ? undefined : { topic: pattern.mended, published: pattern.known, slip: null };
  };
}

function* listPublished({ hats }: Topology): Iterable<string> {
  for (const hat of hats) {
    for (const { topic } of hat.publishes) yield topic;
    yield* hat.defaultPublishes;
  }
}

function toTriggerFinding(topology: Topology, hat: HatSpec, trigger: string, { topic, published, slip }: Meant): FlowFinding {
  const items = hat.triggers.map((item) => (item === trigger ? topic : item));
  const publisher = topology.hats.find((other) => other.publishes.some((entry) => entry.topic === published))?.id;
  const source = publisher === undefined ? `'${published}' can come up in a run` : `'${publisher}' publishes '${published}'`;
  const turn = topology.coordination === 'ralph' ? `only Ralph can call '${hat.id}' by '${trigger}'` : `'${trigger}' calls nobody`;
  return {
    code: 'trigger-near-miss',
    severity: 'hint',
    at: { kind: 'hat-item', hat: hat.id, list: 'triggers', item: trigger },
    message: `Nobody publishes '${trigger}', which '${hat.id}' triggers on: did you mean '${topic}'?`,
    why: `${source}; ${turn}.`,
    fix: `Write '${topic}':\n\n${toHatsYaml({ hat: hat.id, list: 'triggers', items })}`,
    hats: publisher === undefined ? [hat.id] : [hat.id, publisher],
    topics: [trigger, topic],
    ...(publisher === undefined ? {} : { related: [toRelatedPublisher(publisher, published)] }),
    repairs: [
      {
        title: `write "${topic}" instead of "${trigger}"`,
        isSafe: slip === 'right' && findTakers(topology.routes, topic).length === 0,
        change: { kind: 'replace', text: topic },
      },
    ],
  };
}

function toRelatedPublisher(hat: string, topic: string): RelatedSubject {
  return { at: { kind: 'hat-item', hat, list: 'publishes', item: topic }, message: `'${hat}' publishes '${topic}' here.` };
}

/** The triggers that nothing that is published meets. Those that are taken at once are struck off first: in most teams none is left to look up. */
function listUnmet(topology: Topology): ReadonlySet<string> {
  const { routes } = topology;
  const isMarked = markTaken(topology);
  const left: string[] = [];
  const keep = ({ pattern, place }: Route): void => {
    if (isMarked[place] === 0) left.push(pattern);
  };
  routes.exact.forEach(keep);
  routes.patterns.forEach(keep);
  if (left.length === 0) return new Set();
  const published = [...listRootTopics(topology), ...listPublished(topology)];
  const patterns = createTrie(published.filter(hasWildcard));
  let all: PatternTrie<true> | null = null;
  const budget: StepBudget = { steps: MAX_STEPS };
  const isPublished = (trigger: string): boolean => {
    if (isMet(patterns, trigger, budget)) return true;
    if (!hasWildcard(trigger)) return false;
    all ??= createTrie(published.filter((topic) => !hasWildcard(topic)));
    return isMet(all, trigger, budget);
  };
  return new Set(left.filter((trigger) => !isPublished(trigger)));
}

/** By the places of triggers: 1 where a published topic is that very trigger, or is taken by it. A pattern with 0 may still be met. */
function markTaken(topology: Topology): Uint8Array {
  const { routes, hats } = topology;
  const index = createTakerIndex(topology);
  const isMarked = new Uint8Array(routes.exact.size + routes.patterns.length);
  const mark = ({ place }: Route): boolean => {
    isMarked[place] = 1;
    return true;
  };
  const markTopic = (topic: string): void => {
    if (!hasWildcard(topic)) index.visitRoutes(topic, mark);
  };
  const exact = index.listExact();
  hats.forEach((hat, place) => {
    const own = exact[place];
    hat.publishes.forEach(({ topic }, at) => {
      const route = own?.[at];
      if (route === undefined) markTopic(topic);
      else isMarked[route.place] = 1;
    });
    hat.defaultPublishes.forEach(markTopic);
  });
  listRootTopics(topology).forEach(markTopic);
  return isMarked;
}

function createTrie(topics: Iterable<string>): PatternTrie<true> {
  const trie = createPatternTrie<true>();
  for (const topic of topics) addPattern(trie, topic, true);
  return trie;
}

/** True too where the team has so many patterns that not all were looked at: then nothing is told. */
function isMet(trie: PatternTrie<true>, trigger: string, budget: StepBudget): boolean {
  let isFound = false;
  const stop = (): boolean => {
    isFound = true;
    return false;
  };
  return !visitMeeting(trie, trigger, stop, budget) || isFound;
}
