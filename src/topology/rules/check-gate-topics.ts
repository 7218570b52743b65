import { type FlowFinding, type GateSpec, hasWildcard, intersectsPatterns, matchesTopic, TOPIC_COMPLETE } from '../../core/index.ts';
import type { FlowRule } from '../flow-rule.ts';
import type { Topology } from '../topology.ts';
import { createNearTopics, type NearTopics } from './near-topics.ts';

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

interface Publishable {
  readonly topics: ReadonlySet<string>;
  readonly patterns: ReadonlySet<string>;
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
  return { topics, patterns };
}

/** Says whether anything that may be published is guarded by a pattern. Each pattern is looked at once. */
function createPublishableTest({ topics, patterns }: Publishable): (on: string) => boolean {
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
