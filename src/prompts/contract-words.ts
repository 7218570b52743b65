import { contractOf, describeShape, hasWildcard, matchesTopic } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';
import { inCode, inLine } from './quoting.ts';
import { lines } from './section.ts';
import { joinWords, ours, say, type Words } from './words.ts';

/** So many topics are described; whoever publishes an event that is not as its schema says is told. */
const MAX_TOPICS = 20;
const MAX_SHAPE = 160;

/** What is known of a topic, behind its name: what it says, and the shape of its payload; empty where nothing is. */
export function contractWords({ spec }: Topology, topic: string): Words {
  const contract = contractOf(spec.events, topic);
  const about = contract?.description === undefined ? [] : inLine(contract.description.replace(/[\s.]+$/, ''));
  const shape = contract?.schema === undefined ? [] : say`payload: JSON ${inCode(describeShape(contract.schema, MAX_SHAPE))}`;
  const known = joinWords([about, shape], '; ');
  return known.length === 0 ? [] : say`: ${known}`;
}

/** A line for each topic of which something is known, among topics and patterns. */
export function contractLines(topology: Topology, topics: readonly string[]): Words {
  const known = Object.keys(topology.spec.events ?? {}).filter((topic) => topics.some((pattern) => matchesTopic(pattern, topic)));
  const shown = known.slice(0, MAX_TOPICS).map((topic) => say`- ${inCode(topic)}${contractWords(topology, topic)}`);
  return lines(...shown, known.length > MAX_TOPICS ? ours('- …') : []);
}

/** The lines of {@link contractLines} for what a pattern stands for; empty for a topic. */
export function contractsBelow(topology: Topology, pattern: string): Words {
  return hasWildcard(pattern) ? contractLines(topology, [pattern]) : [];
}
