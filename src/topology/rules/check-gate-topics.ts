import { TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import { hasWildcard } from '../../core/events/topics.ts';
import type { GateSpec } from '../../core/gates/gate-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { createNearTopics, type NearTopics } from '../analysis/near-topics.ts';
import { createPublishableTest, listPublishable } from '../analysis/publishable.ts';

const MAX_GATES = 50;
const MAX_PER_GATE = 20;

/**
 * Gates that never run, because nobody publishes what they guard. A completion can always come. Under `ralph` Ralph may publish whatever a hat takes and
 * whatever the loop is told to wait for, so only a topic that none of these knows is told. Alone, an agent may publish anything: there only a slip of
 * the pen in the name of the completion is told.
 */
export const checkGateTopics: FlowRule = (topology) => {
  const { gates, promise } = topology.spec;
  if (gates.length === 0 || topology.classic) return [];
  const publishable = listPublishable(topology);
  const isPublishable = createPublishableTest(publishable);
  const completions = [TOPIC_COMPLETE, promise];
  let near: NearTopics | null = null;
  return gates.slice(0, MAX_GATES).flatMap((gate, index) =>
    gate.on.slice(0, MAX_PER_GATE).flatMap((on) => {
      if (isPublishable(on)) return [];
      near ??= createNearTopics(topology.coordination === 'solo' ? completions : [...publishable.topics, ...completions]);
      const meant = hasWildcard(on) ? undefined : near.find(on);
      return topology.coordination === 'solo' && meant === undefined ? [] : [toFinding(gate, index, on, meant)];
    }),
  );
};

function toFinding(gate: GateSpec, index: number, on: string, meant: string | undefined): FlowFinding {
  const repairs = { repairs: [{ title: `guard "${meant ?? ''}"`, isSafe: true, change: { kind: 'replace', text: meant ?? '' } as const }] };
  return {
    code: 'gate-unused',
    severity: 'warning',
    at: { kind: 'gate', index, topic: on },
    message: `Nobody publishes '${on}', which this gate guards${meant === undefined ? '.' : `: did you mean '${meant}'?`}`,
    why: 'The gate never runs for it, and what it should hold back passes unchecked.',
    fix: `Name a topic that a hat publishes, or leave \`on:\` out to guard the end of the run:\n\ngates:\n  - run: ${toLine(gate.run)}\n    on: [${meant ?? TOPIC_COMPLETE}]`,
    topics: [on],
    ...(meant === undefined ? {} : repairs),
  };
}

function toLine(command: string): string {
  return JSON.stringify((command.split('\n')[0] ?? '').slice(0, 80));
}
