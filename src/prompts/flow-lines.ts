import { intersectsPatterns, RALPH, SYSTEM_TOPICS } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';
import { offersOf, receiverNames } from './offers.ts';
import { inLine } from './quoting.ts';
import { joinWords, say, type Words } from './words.ts';

/** Some topics of one hat that go to the same receivers. */
interface Hop {
  readonly topics: readonly string[];
  readonly to: readonly string[];
}

/**
 * The flow of events as lines of text, each edge once: `task.start -> planner -> build.task -> builder -> build.done -> planner`.
 * The first line begins with the topic that starts the run; a line ends where everything that follows is shown already.
 */
export function flowLines(topology: Topology): readonly Words[] {
  const left = new Map([RALPH, ...topology.hats.map((hat) => hat.id)].map((id) => [id, [...hopsFrom(topology, id)]]));
  const shown = [say`${inLine(topology.startTopic)} -> ${follow(left, topology.entry)}`];
  for (const [id, hops] of left) {
    while (hops.length > 0) shown.push(follow(left, id));
  }
  return shown;
}

/** One line from a hat on, as far as it leads; what it shows is taken out of `left`. */
function follow(left: Map<string, Hop[]>, from: string): Words {
  const stations = [inLine(from)];
  let here: string | undefined = from;
  while (here !== undefined) {
    const hop: Hop | undefined = left.get(here)?.shift();
    if (hop === undefined) break;
    stations.push(joinWords(hop.topics.map(inLine), ', '));
    if (hop.to.length > 0) stations.push(receiverNames(hop.to));
    here = hop.to.length === 1 ? hop.to[0] : undefined;
  }
  return joinWords(stations, ' -> ');
}

function hopsFrom(topology: Topology, id: string): readonly Hop[] {
  const hat = topology.hatById.get(id);
  if (id === RALPH || hat === undefined) return topology.coordination === 'ralph' ? ralphHops(topology) : [];
  const hops = new Map<string, Hop>();
  for (const { topic, receivers } of offersOf(topology, hat)) {
    const key = receivers.join('\n');
    hops.set(key, { topics: [...(hops.get(key)?.topics ?? []), topic], to: receivers });
  }
  return [...hops.values()];
}

/** What only Ralph can set going: triggers that neither a hat nor the loop itself publishes. */
function ralphHops(topology: Topology): readonly Hop[] {
  const published = [...SYSTEM_TOPICS, topology.startTopic, ...topology.hats.flatMap((hat) => hat.publishes.map((entry) => entry.topic))];
  const exact = new Set(published);
  const patterns = published.filter((topic) => topic.includes('*'));
  const isPublished = (trigger: string): boolean =>
    exact.has(trigger) || (trigger.includes('*') ? published : patterns).some((topic) => intersectsPatterns(topic, trigger));
  return topology.hats
    .map((hat) => ({ topics: hat.triggers.filter((trigger) => !isPublished(trigger)), to: [hat.id] }))
    .filter((hop) => hop.topics.length > 0);
}
