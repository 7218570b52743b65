import {
  TOPIC_COMPLETE,
  TOPIC_CONTINUE,
  TOPIC_ERROR_CLI,
  TOPIC_ERROR_TIMEOUT,
  TOPIC_READY,
  TOPIC_RESUME,
  TOPIC_START,
  toBlockedTopic,
} from '../../core/events/reserved.ts';
import { hasWildcard, intersectsPatterns, matchesTopic } from '../../core/events/topics.ts';
import type { Topology } from '../routing/compile-topology.ts';

/** What can occur in a run: topics, and patterns of which any topic may. */
export interface Publishable {
  readonly topics: ReadonlySet<string>;
  readonly patterns: ReadonlySet<string>;
}

/** What hats may publish, under `ralph` also Ralph; a completion always. */
export function listPublishable({ coordination, hats, spec }: Topology): Publishable {
  const topics = new Set([TOPIC_COMPLETE, spec.promise]);
  const patterns = new Set<string>();
  const add = (topic: string): void => {
    (hasWildcard(topic) ? patterns : topics).add(topic);
  };
  for (const hat of hats) {
    for (const { topic } of hat.publishes) add(topic);
    for (const topic of hat.defaultPublishes) add(topic);
    if (coordination === 'ralph') hat.triggers.forEach(add);
  }
  if (coordination === 'ralph') for (const topic of [...spec.terminalEvents, ...spec.requiredEvents]) add(topic);
  return { topics, patterns };
}

/** Says whether anything that may be published is guarded by a pattern. Each pattern is looked at once. */
export function createPublishableTest({ topics, patterns }: Publishable): (on: string) => boolean {
  const known = new Map<string, boolean>();
  return (on) => {
    if (topics.has(on)) return true;
    let answer = known.get(on);
    if (answer === undefined) {
      answer = meetsAny(on, patterns, intersectsPatterns) || (hasWildcard(on) && meetsAny(on, topics, matchesTopic));
      known.set(on, answer);
    }
    return answer;
  };
}

function meetsAny(on: string, topics: ReadonlySet<string>, meets: (on: string, topic: string) => boolean): boolean {
  const start = on.slice(0, on.includes('*') ? on.indexOf('*') : on.length);
  for (const topic of topics) if ((topic.includes('*') || topic.startsWith(start)) && meets(on, topic)) return true;
  return false;
}

/** What is published although no hat does: by the loop, by gates that fail, by people. */
export function listRootTopics({ spec, startTopic }: Topology): readonly string[] {
  const system = [TOPIC_START, TOPIC_READY, TOPIC_RESUME, TOPIC_CONTINUE, TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT];
  const blocked = spec.gates.flatMap((gate) => gate.on.flatMap(toBlockedTopics));
  return [...new Set([startTopic, ...system, toBlockedTopic(TOPIC_COMPLETE), ...blocked, 'human.*'])];
}

/** What a failing gate makes of the topics that it guards; a pattern that is open at the end guards longer ones too. */
function toBlockedTopics(on: string): readonly string[] {
  if (on === '*') return ['*.blocked', '*.*.blocked'];
  return on.endsWith('.*') ? [toBlockedTopic(on), toBlockedTopic(`${on}.*`)] : [toBlockedTopic(on)];
}
