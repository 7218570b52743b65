import { DEFAULT_PROMISE, hasWildcard, TOPIC_COMPLETE } from '../../core/index.ts';
import { isCompletionTopic } from '../queries.ts';
import type { Topology } from '../topology.ts';
import { createNearPatterns, type NearPattern } from './near-patterns.ts';
import { createNearTopics } from './near-topics.ts';
import { createSlipJudge, type Slip } from './slip-judge.ts';

/** What was probably meant by a topic that nobody takes: one that a hat takes, or one that needs nobody. */
export interface NearTrigger {
  /** What to write instead. */
  readonly topic: string;
  /** The trigger that takes it, and the first hat that has it; `null` where the topic needs no taker. */
  readonly taker: { readonly hat: string; readonly trigger: string } | null;
  /** What becomes of it, to stand behind its name: `which ends the run`. */
  readonly fate: string;
  /** True if it is written in at least as many places as the topic, or the topic is clearly the slip. */
  readonly isLikely: boolean;
  /** Which of the two is the slip of the pen: `left` is the topic, `right` the trigger; `null` where nothing tells. */
  readonly slip: Slip;
  /** True if it is clear which one is; else a person has to say. */
  readonly isSure: boolean;
  /** True if it is written in no other place: to change it there is enough. */
  readonly isAlone: boolean;
}

/** Looks for triggers, completions and terminal events that differ from a topic by a slip of the pen. */
export function createNearTriggers(topology: Topology): (topic: string) => NearTrigger | undefined {
  const { routes, spec } = topology;
  const triggers = [...routes.exact.keys(), ...routes.patterns.map((route) => route.pattern)];
  const near = createNearTopics([...triggers, spec.promise, TOPIC_COMPLETE, DEFAULT_PROMISE, ...spec.terminalEvents]);
  const nearPattern = createNearPatterns(triggers);
  const hatOf = createHatLookUp(topology);
  const judge = createSlipJudge(topology);
  return (topic) => {
    const found = near.find(topic);
    if (found === undefined) {
      const pattern = nearPattern(topic);
      const hat = pattern === undefined ? undefined : hatOf(pattern.known);
      return pattern === undefined || hat === undefined
        ? undefined
        : toMended(pattern, hat, judge.count(pattern.known) >= judge.count(topic));
    }
    // Whoever writes the usual word where the promise is another one means the promise.
    if (found === DEFAULT_PROMISE || isCompletionTopic(topology, found)) {
      return toUntaken(found === DEFAULT_PROMISE ? spec.promise : found, 'which ends the run');
    }
    const hat = hatOf(found);
    if (hat === undefined) return toUntaken(found, 'which is a terminal event');
    const slip = judge.compare(topic, found);
    return {
      topic: found,
      taker: { hat, trigger: found },
      fate: `which '${hat}' triggers on`,
      isLikely: slip === 'left' || judge.count(found) >= judge.count(topic),
      slip,
      isSure: slip !== null,
      isAlone: judge.count(found) === 1 && !hasWildcard(found),
    };
  };
}

function createHatLookUp({ routes }: Topology): (trigger: string) => string | undefined {
  return (trigger) => (routes.exact.get(trigger) ?? routes.patterns.find((route) => route.pattern === trigger))?.hats[0];
}

/** What ends the run or needs nobody is declared: that it is meant is likely, but a person has to say so. */
function toUntaken(topic: string, fate: string): NearTrigger {
  return { topic, taker: null, fate, isLikely: true, slip: null, isSure: false, isAlone: false };
}

function toMended({ mended, known }: NearPattern, hat: string, isLikely: boolean): NearTrigger {
  const fate = `which '${hat}' takes by '${known}'`;
  return { topic: mended, taker: { hat, trigger: known }, fate, isLikely, slip: null, isSure: false, isAlone: false };
}
