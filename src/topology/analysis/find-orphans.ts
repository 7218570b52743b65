import { DEFAULT_PROMISE, TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import { addPattern, createPatternTrie, type PatternTrie, type Topology, visitMeeting } from '../routing/compile-topology.ts';
import { createTakerIndex } from '../routing/taker-index.ts';
import type { LooseTriggers, Orphan, Orphans } from './flow-rule.ts';

/**
 * Everything that a hat may publish and no hat takes, Ralph left out. What has a target goes there; what is terminal needs nobody; a pattern needs
 * one topic that is taken or terminal. Each topic is looked up once, however many hats publish it.
 */
export function findOrphans(topology: Topology, looseTriggers: LooseTriggers): Orphans {
  const index = createTakerIndex(topology);
  const settled = createSettled(topology, looseTriggers);
  const known = new Map<string, boolean>();
  let isWhole = true;
  const { exact } = topology.routes;
  const isTaken = (topic: string): boolean => {
    if (exact.has(topic)) return true;
    const answer = known.get(topic);
    if (answer !== undefined) return answer;
    let isMet = false;
    const visit = (): boolean => {
      isMet = true;
      return false;
    };
    visitMeeting(settled, topic, visit);
    if (!isMet && !index.visitRoutes(topic, visit)) {
      isMet = true;
      isWhole = false;
    }
    known.set(topic, isMet);
    return isMet;
  };
  const orphans: Orphan[] = [];
  const taken = index.listExact();
  topology.hats.forEach((hat, place) => {
    const routes = taken[place];
    let told: Set<string> | null = null;
    hat.publishes.forEach(({ topic, target }, at) => {
      if (target !== undefined || routes?.[at] !== undefined || isTaken(topic) || told?.has(topic) === true) return;
      told ??= new Set();
      told.add(topic);
      orphans.push({ hat: hat.id, topic, list: 'publishes' });
    });
    hat.defaultPublishes.forEach((topic) => {
      if (isTaken(topic) || hat.publishes.some((entry) => entry.topic === topic)) return;
      orphans.push({ hat: hat.id, topic, list: 'default_publishes' });
    });
  });
  return { orphans, isWhole };
}

/** Terminal topics, and triggers that could not be read as they were probably meant: what meets these is no orphan. */
function createSettled({ spec }: Topology, looseTriggers: LooseTriggers): PatternTrie<true> {
  const trie = createPatternTrie<true>();
  for (const topic of [DEFAULT_PROMISE, spec.promise, TOPIC_COMPLETE, ...spec.terminalEvents]) addPattern(trie, topic, true);
  for (const patterns of Object.values(looseTriggers)) for (const pattern of patterns) addPattern(trie, pattern, true);
  return trie;
}
