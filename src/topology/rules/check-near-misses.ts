import { type FlowFinding, type HatSpec, hasWildcard } from '../../core/index.ts';
import type { FlowRule } from '../flow-rule.ts';
import { addPattern, createPatternTrie, type PatternTrie, visitMeeting } from '../pattern-trie.ts';
import { findTakers } from '../route-table.ts';
import type { Topology } from '../topology.ts';
import { toHatsYaml } from './fix-yaml.ts';
import { listRootTopics } from './flow-reach.ts';
import { createNearTopics } from './near-topics.ts';
import { createNearTriggers, type NearTrigger } from './near-triggers.ts';
import { findOrphans, type Orphan } from './orphans.ts';
import { createSlipJudge, type Slip } from './slip-judge.ts';
import { toSpellingRepairs } from './spelling-repairs.ts';

/**
 * What the rules 4 and 5 of seed 001 become under `ralph`, where Ralph takes what no hat takes and can call any hat: a word only where a slip of
 * the pen is likely. Where both spellings are written equally often it is told at what is published; `createSlipJudge` says which one is mended.
 */
export const checkNearMisses: FlowRule = (topology, facts) => {
  if (topology.coordination !== 'ralph') return [];
  const { orphans } = findOrphans(topology, facts);
  const near = orphans.length === 0 ? () => undefined : createNearTriggers(topology);
  const events: FlowFinding[] = [];
  for (const orphan of orphans) {
    const meant = near(orphan.topic);
    if (meant?.isLikely) events.push(toEventFinding(topology, orphan, meant));
  }
  const told = new Set(events.flatMap((finding) => finding.topics ?? []));
  return [...events, ...listTriggers(topology, told)];
};

function toEventFinding(topology: Topology, { hat, topic, list }: Orphan, meant: NearTrigger): FlowFinding {
  const isTrigger = meant.slip === 'right';
  return {
    code: 'event-near-miss',
    severity: 'warning',
    at: { kind: 'hat-item', hat, list, item: topic },
    message: isTrigger
      ? `No hat takes '${topic}', published by '${hat}': is '${topic}' meant by '${meant.topic}', which '${meant.hat}' triggers on?`
      : `No hat takes '${topic}', published by '${hat}': did you mean '${meant.topic}'?`,
    why: `'${meant.hat}' triggers on '${meant.topic}'; '${topic}' goes to Ralph instead.`,
    fix: isTrigger ? toTriggerFix(topology, topic, meant) : toTopicFix(topology, { hat, topic }, meant),
    hats: [hat, meant.hat],
    topics: [topic, meant.topic],
    related: [
      {
        at: { kind: 'hat-item', hat: meant.hat, list: 'triggers', item: meant.topic },
        message: `'${meant.hat}' triggers on '${meant.topic}' here.`,
      },
    ],
    repairs: toSpellingRepairs(topic, meant),
  };
}

function toTopicFix(topology: Topology, { hat, topic }: Pick<Orphan, 'hat' | 'topic'>, meant: NearTrigger): string {
  const items = topology.hatById.get(hat)?.publishes.map((entry) => (entry.topic === topic ? { ...entry, topic: meant.topic } : entry));
  return `Write '${meant.topic}':\n\n${toHatsYaml({ hat, list: 'publishes', items: items ?? [] })}`;
}

function toTriggerFix(topology: Topology, topic: string, meant: NearTrigger): string {
  const items = topology.hatById.get(meant.hat)?.triggers.map((item) => (item === meant.topic ? topic : item));
  return `Write '${topic}':\n\n${toHatsYaml({ hat: meant.hat, list: 'triggers', items: items ?? [] })}`;
}

/** Hats whose triggers nobody publishes, where one of these is nearly what somebody publishes. */
function listTriggers(topology: Topology, told: ReadonlySet<string>): readonly FlowFinding[] {
  const isPublished = createPublishedTest(topology);
  const lonely = topology.hats.filter((hat) => hat.triggers.length > 0 && !hat.triggers.some(isPublished));
  if (lonely.length === 0) return [];
  const near = createNearTopics(listPublished(topology));
  const judge = createSlipJudge(topology);
  return lonely.flatMap((hat) => {
    for (const trigger of hat.triggers) {
      const topic = told.has(trigger) ? undefined : near.find(trigger);
      if (topic !== undefined) return [toTriggerFinding(topology, hat, trigger, { topic, slip: judge.compare(topic, trigger) })];
    }
    return [];
  });
}

/** What somebody publishes, and whether it or the trigger is the slip of the pen. */
interface Meant {
  readonly topic: string;
  readonly slip: Slip;
}

function toTriggerFinding(topology: Topology, hat: HatSpec, trigger: string, { topic, slip }: Meant): FlowFinding {
  const items = hat.triggers.map((item) => (item === trigger ? topic : item));
  const publisher = topology.hats.find((other) => other.publishes.some((entry) => entry.topic === topic))?.id ?? '';
  return {
    code: 'trigger-near-miss',
    severity: 'hint',
    at: { kind: 'hat-item', hat: hat.id, list: 'triggers', item: trigger },
    message: `Nobody publishes '${trigger}', which '${hat.id}' triggers on: did you mean '${topic}'?`,
    why: `'${publisher}' publishes '${topic}'; '${hat.id}' gets a turn only if Ralph calls it.`,
    fix: `Write '${topic}':\n\n${toHatsYaml({ hat: hat.id, list: 'triggers', items })}`,
    hats: [hat.id, publisher],
    topics: [trigger, topic],
    related: [
      { at: { kind: 'hat-item', hat: publisher, list: 'publishes', item: topic }, message: `'${publisher}' publishes '${topic}' here.` },
    ],
    repairs: [
      {
        title: `write "${topic}" instead of "${trigger}"`,
        isSafe: slip === 'right' && findTakers(topology.routes, topic).length === 0,
        change: { kind: 'replace', text: topic },
      },
    ],
  };
}

/** Says whether something is published that a trigger would take. */
function createPublishedTest(topology: Topology): (trigger: string) => boolean {
  const exact = new Set<string>();
  const patterns = createPatternTrie<true>();
  const add = (topic: string): void => {
    if (hasWildcard(topic)) addPattern(patterns, topic, true);
    else exact.add(topic);
  };
  listRootTopics(topology).forEach(add);
  for (const hat of topology.hats) {
    for (const { topic } of hat.publishes) add(topic);
    hat.defaultPublishes.forEach(add);
  }
  let all: PatternTrie<true> | null = null;
  return (trigger) => {
    if (exact.has(trigger) || isMet(patterns, trigger)) return true;
    if (!hasWildcard(trigger)) return false;
    all ??= createTrie(exact);
    return isMet(all, trigger);
  };
}

function createTrie(topics: Iterable<string>): PatternTrie<true> {
  const trie = createPatternTrie<true>();
  for (const topic of topics) addPattern(trie, topic, true);
  return trie;
}

function isMet(trie: PatternTrie<true>, trigger: string): boolean {
  let isFound = false;
  visitMeeting(trie, trigger, () => {
    isFound = true;
    return false;
  });
  return isFound;
}

function* listPublished({ hats }: Topology): Iterable<string> {
  for (const hat of hats) for (const { topic } of hat.publishes) if (!hasWildcard(topic)) yield topic;
}
