import { hasWildcard } from '../../core/index.ts';
import type { Topology } from '../topology.ts';
import { createNearTopics } from './near-topics.ts';
import { createSlipJudge, type Slip } from './slip-judge.ts';

/** A trigger that was probably meant by a topic that nobody takes. */
export interface NearTrigger {
  readonly topic: string;
  /** The first hat that has it. */
  readonly hat: string;
  /** True if it is written in at least as many places as the topic. */
  readonly isLikely: boolean;
  /** Which of the two is the slip of the pen: `left` is the topic, `right` the trigger; `null` where a person has to say. */
  readonly slip: Slip;
  /** True if it is written in no other place: to change it there is enough. */
  readonly isAlone: boolean;
}

/** Looks for triggers that differ from a topic by a slip of the pen. */
export function createNearTriggers(topology: Topology): (topic: string) => NearTrigger | undefined {
  const { exact, patterns } = topology.routes;
  const near = createNearTopics([...exact.keys(), ...patterns.map((route) => route.pattern)]);
  const judge = createSlipJudge(topology);
  return (topic) => {
    const found = near.find(topic);
    const hat = found === undefined ? undefined : (exact.get(found) ?? patterns.find((route) => route.pattern === found))?.hats[0];
    if (found === undefined || hat === undefined) return undefined;
    const isAlone = judge.count(found) === 1 && !hasWildcard(found);
    return { topic: found, hat, isLikely: judge.count(found) >= judge.count(topic), slip: judge.compare(topic, found), isAlone };
  };
}
