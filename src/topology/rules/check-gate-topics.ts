import { type FlowFinding, type GateSpec, hasWildcard, intersectsPatterns, TOPIC_COMPLETE } from '../../core/index.ts';
import type { Topology } from '../topology.ts';
import type { FlowRule } from '../validate-topology.ts';
import { createNearTopics, type NearTopics } from './near-topics.ts';

const MAX_GATES = 200;

/** What somebody may publish: topics by their text, patterns as they are. */
interface Publishable {
  readonly topics: ReadonlySet<string>;
  readonly patterns: readonly string[];
}

/**
 * Gates that never run, because nobody publishes what they guard. A completion can always come. Under `ralph` Ralph may publish whatever a hat takes and
 * whatever the loop is told to wait for, so only a topic that none of these knows is told. Alone, an agent may publish anything: there only a slip of
 * the pen in the name of the completion is told.
 */
export const checkGateTopics: FlowRule = (topology) => {
  const { gates, promise } = topology.spec;
  if (gates.length === 0 || topology.classic) return [];
  const publishable = listPublishable(topology);
  const near = createNearTopics(publishable.topics);
  const completions = createNearTopics([TOPIC_COMPLETE, promise]);
  return gates.slice(0, MAX_GATES).flatMap((gate, index) =>
    gate.on.flatMap((on) => {
      if (isPublishable(on, publishable)) return [];
      const meant = topology.coordination === 'solo' ? completions.find(on) : findMeant(on, near, completions);
      if (topology.coordination === 'solo' && meant === undefined) return [];
      return [toFinding(gate, index, on, meant)];
    }),
  );
};

function findMeant(on: string, near: NearTopics, completions: NearTopics): string | undefined {
  return hasWildcard(on) ? undefined : (near.find(on) ?? completions.find(on));
}

function listPublishable({ coordination, hats, spec }: Topology): Publishable {
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
  return { topics, patterns: [...patterns] };
}

function isPublishable(on: string, { topics, patterns }: Publishable): boolean {
  if (topics.has(on)) return true;
  if (patterns.some((pattern) => intersectsPatterns(pattern, on))) return true;
  return hasWildcard(on) && [...topics].some((topic) => intersectsPatterns(on, topic));
}

function toFinding(gate: GateSpec, index: number, on: string, meant: string | undefined): FlowFinding {
  const repairs = { repairs: [{ title: `guard "${meant ?? ''}"`, isSafe: true, change: { kind: 'replace', text: meant ?? '' } as const }] };
  return {
    code: 'gate-unused',
    severity: 'warning',
    at: { kind: 'gate', index, topic: on },
    message: `Nobody publishes '${on}', which this gate guards${meant === undefined ? '.' : `: did you mean '${meant}'?`}`,
    why: 'The gate never runs for it, and what it was to hold back passes unchecked.',
    fix: `Name a topic that a hat publishes, or leave \`on:\` out to guard the end of the run:\n\ngates:\n  - run: ${toLine(gate.run)}\n    on: [${meant ?? TOPIC_COMPLETE}]`,
    topics: [on],
    ...(meant === undefined ? {} : repairs),
  };
}

/** A command as one line of YAML. */
function toLine(command: string): string {
  return JSON.stringify((command.split('\n')[0] ?? '').slice(0, 80));
}
