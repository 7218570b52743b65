import type { FlowFinding, HatSpec } from '../../core/index.ts';
import type { FlowRule } from '../flow-rule.ts';
import { isCompletionTopic } from '../queries.ts';
import type { Topology } from '../topology.ts';
import { toHatsYaml, toOwnTopic } from './fix-yaml.ts';
import { findReach, listRootTopics } from './flow-reach.ts';
import { clipName, renderFlow } from './flow-text.ts';
import { createNearTopics, type NearTopics } from './near-topics.ts';
import { UNCHECKED } from './unchecked.ts';

/** So many findings show the whole flow; the others, of which nobody reads each, its first line. */
const MAX_FLOWS = 20;
const MAX_TOPICS = 20;

/**
 * Rule 5 of seed 001: every hat can get a turn. Ralph can call any hat, so under `ralph` there is nothing to say. A hat without triggers, or with
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
