import type { FlowFinding } from '../../core/schema/finding.ts';
import { toLoopYaml } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { createNearTopics } from '../analysis/near-topics.ts';
import { createPublishableTest, listPublishable } from '../analysis/publishable.ts';
import { findTakers, type Topology } from '../routing/compile-topology.ts';

const MAX_FINDINGS = 50;

/** Topics that `event_loop:` waits for and no hat publishes, or that begin the run and no hat takes. Under `ralph`, Ralph publishes the former and gets the latter. */
export const checkAwaitedEvents: FlowRule = (topology) =>
  topology.coordination === 'hats' ? [...checkRequired(topology), ...checkStart(topology)] : [];

function checkRequired(topology: Topology): readonly FlowFinding[] {
  const { requiredEvents } = topology.spec;
  if (requiredEvents.length === 0) return [];
  const publishable = listPublishable(topology);
  const isPublishable = createPublishableTest(publishable);
  const missing = requiredEvents.filter((topic) => !isPublishable(topic)).slice(0, MAX_FINDINGS);
  const near = createNearTopics(missing.length === 0 ? [] : publishable.topics);
  return missing.map((topic) => {
    const meant = near.find(topic);
    return {
      code: 'required-unpublished',
      severity: 'warning',
      at: { kind: 'loop', key: 'required_events', item: topic },
      message: `Nobody publishes '${topic}', which the run must have seen before it may complete${toQuestion(meant)}`,
      why: 'Every completion is refused, and the run continues until it reaches a limit.',
      fix: `Let a hat publish it, or wait for something else:\n\n${toLoopYaml('required_events', toOthers(requiredEvents, topic, meant))}`,
      topics: [topic],
      ...toRepairs(meant),
    } as const;
  });
}

function checkStart({ spec, routes, hats, entry }: Topology): readonly FlowFinding[] {
  const topic = spec.startingEvent;
  if (topic === null || spec.startingHat !== null || findTakers(routes, topic).length > 0) return [];
  const meant = createNearTopics(hats.flatMap((hat) => hat.triggers)).find(topic);
  return [
    {
      code: 'starting-event-untaken',
      severity: 'warning',
      at: { kind: 'loop', key: 'starting_event' },
      message: `No hat triggers on '${topic}', which begins the run${toQuestion(meant)}`,
      why: `The run begins with '${entry}' all the same, because somebody has to be called; what was to take the event is not.`,
      fix: `Add '${topic}' to the triggers of the hat that is to begin${meant === undefined ? '.' : `, or write:\n\nevent_loop:\n  starting_event: ${meant}`}`,
      topics: [topic],
      ...toRepairs(meant),
    },
  ];
}

function toQuestion(meant: string | undefined): string {
  return meant === undefined ? '.' : `: did you mean '${meant}'?`;
}

function toOthers(topics: readonly string[], wrong: string, meant: string | undefined): readonly string[] {
  return topics.slice(0, 20).flatMap((topic) => (topic === wrong ? (meant ?? []) : topic));
}

/** Only a person knows which of the two spellings is wrong. */
function toRepairs(meant: string | undefined): Pick<FlowFinding, 'repairs'> {
  if (meant === undefined) return {};
  return { repairs: [{ title: `write "${meant}"`, isSafe: false, change: { kind: 'replace', text: meant } }] };
}
