import { hasWildcard, intersectsPatterns, matchesTopic } from '../core/index.ts';
import { type Topology, takersOf } from '../topology/index.ts';

/** Stands for whatever an agent may write in the place of a `*`. */
const ANY = 'any';

/**
 * Says which topics somebody may write under a pattern of a hat's `publishes`: those of the team that the pattern lets through (taken, terminal or
 * required), and any other, which counts only where somebody takes it. Where there are none: that other one alone. A topic stands for itself.
 */
export function createInstances(topology: Topology): (pattern: string) => readonly string[] {
  const triggers = indexTriggers(topology);
  const { terminalEvents, requiredEvents } = topology.spec;
  return (pattern) => {
    if (!hasWildcard(pattern)) return [pattern];
    const topics = new Set<string>();
    for (const trigger of triggers(pattern)) {
      if (!intersectsPatterns(trigger, pattern)) continue;
      const topic = hasWildcard(trigger) ? joinPatterns(trigger, pattern) : trigger;
      if (matchesTopic(pattern, topic) && takersOf(topology, topic).length > 0) topics.add(topic);
    }
    for (const topic of [...terminalEvents, ...requiredEvents]) if (matchesTopic(pattern, topic)) topics.add(topic);
    const other = fillIn(pattern);
    if (topics.size === 0 || takersOf(topology, other).length > 0) topics.add(other);
    return [...topics];
  };
}

/** The triggers that may have to do with a pattern, by their first segment: teams may have thousands of both. */
function indexTriggers({ hats }: Topology): (pattern: string) => readonly string[] {
  const all = [...new Set(hats.flatMap((hat) => hat.triggers))];
  const byFirst = new Map<string, string[]>();
  for (const trigger of all) {
    const first = firstSegment(trigger);
    const known = byFirst.get(first);
    if (known === undefined) byFirst.set(first, [trigger]);
    else known.push(trigger);
  }
  return (pattern) => {
    const first = firstSegment(pattern);
    return first === '*' ? all : [...(byFirst.get(first) ?? []), ...(byFirst.get('*') ?? [])];
  };
}

function firstSegment(pattern: string): string {
  return pattern.split('.', 1)[0] as string;
}

/** A topic that both patterns match, where they intersect. */
function joinPatterns(left: string, right: string): string {
  const [a, b] = [left.split('.'), right.split('.')];
  const length = Math.max(a.length, b.length);
  const segments = Array.from({ length }, (_, index) => {
    const [one, other] = [a[index] ?? '*', b[index] ?? '*'];
    return one === '*' ? other : one;
  });
  return fillIn(segments.join('.'));
}

/** A topic that the pattern matches. */
export function fillIn(pattern: string): string {
  return pattern
    .split('.')
    .map((segment) => (segment === '*' ? ANY : segment))
    .join('.');
}
