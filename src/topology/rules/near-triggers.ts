import type { Topology } from '../topology.ts';
import { createNearTopics } from './near-topics.ts';

/** A trigger that was probably meant by a topic that nobody takes. */
export interface NearTrigger {
  readonly topic: string;
  /** The first hat that has it. */
  readonly hat: string;
  /** True if it is written in at least as many places as the topic: then the topic is the slip of the pen. */
  readonly isLikely: boolean;
}

/** Looks for triggers that differ from a topic by a slip of the pen. */
export function createNearTriggers(topology: Topology): (topic: string) => NearTrigger | undefined {
  const { exact, patterns } = topology.routes;
  const near = createNearTopics([...exact.keys(), ...patterns.map((route) => route.pattern)]);
  const mentions = countMentions(topology);
  return (topic) => {
    const found = near.find(topic);
    const hat = found === undefined ? undefined : (exact.get(found) ?? patterns.find((route) => route.pattern === found))?.hats[0];
    if (found === undefined || hat === undefined) return undefined;
    return { topic: found, hat, isLikely: (mentions.get(found) ?? 0) >= (mentions.get(topic) ?? 0) };
  };
}

/** In how many lists of hats each topic and pattern stands. */
function countMentions({ hats }: Topology): ReadonlyMap<string, number> {
  const mentions = new Map<string, number>();
  const count = (topic: string): void => {
    mentions.set(topic, (mentions.get(topic) ?? 0) + 1);
  };
  for (const hat of hats) {
    hat.triggers.forEach(count);
    for (const entry of hat.publishes) count(entry.topic);
  }
  return mentions;
}
