import { intersectsPatterns } from '../../core/events/topics.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { createNearTopics } from '../analysis/near-topics.ts';
import { createPublishableTest, listPublishable, listRootTopics } from '../analysis/publishable.ts';
import { findRoutes, type Topology } from '../routing/compile-topology.ts';

const MAX_FINDINGS = 50;

/** A topic under `events:` that nobody publishes and nobody takes: its schema holds nothing back. Alone, an agent may publish anything. */
export const checkEventContracts: FlowRule = (topology) => {
  const described = Object.keys(topology.spec.events ?? {});
  if (described.length === 0 || topology.coordination === 'solo') return [];
  const publishable = listPublishable(topology);
  const isPublishable = createPublishableTest(publishable);
  const { routes, spec } = topology;
  const roots = [...listRootTopics(topology), ...spec.terminalEvents, ...spec.requiredEvents];
  const isKnown = (topic: string): boolean =>
    isPublishable(topic) || findRoutes(routes, topic).length > 0 || roots.some((root) => intersectsPatterns(root, topic));
  const unknown = described.filter((topic) => !isKnown(topic)).slice(0, MAX_FINDINGS);
  if (unknown.length === 0) return [];
  const near = createNearTopics([...publishable.topics, ...routes.exact.keys()]);
  return unknown.map((topic) => toFinding(topology, topic, near.find(topic)));
};

function toFinding({ spec }: Topology, topic: string, meant: string | undefined): FlowFinding {
  const isFree = meant !== undefined && spec.events?.[meant] === undefined;
  const repair = { title: `describe "${meant ?? ''}" instead`, isSafe: false, change: { kind: 'replace', text: meant ?? '' } } as const;
  return {
    code: 'event-contract-unused',
    severity: 'warning',
    at: { kind: 'event', topic },
    message: `No hat publishes or takes '${topic}', which \`events\` describes${meant === undefined ? '.' : `: did you mean '${meant}'?`}`,
    why: 'Its description reaches nobody, and its schema refuses no payload.',
    fix: meant === undefined ? 'Remove it, or let a hat publish it.' : `Write it under '${meant}':\n\nevents:\n  ${meant}:\n    …`,
    topics: [topic],
    ...(isFree ? { repairs: [repair] } : {}),
  };
}
