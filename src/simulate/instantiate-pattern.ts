import { hasWildcard, intersectsPatterns, matchesTopic } from '../core/index.ts';
import { type Topology, takersOf } from '../topology/index.ts';

/** Stands for whatever an agent may write in the place of a `*`. */
const ANY = 'any';

/**
 * Topics that somebody may write under a pattern of a hat's `publishes`, or who may take one of a hat's `triggers`: those of the team
 * that the pattern lets through (taken, terminal or required), and any other, which counts only where somebody takes it. Where there
 * are none: that other one alone. A topic stands for itself.
 */
export function instantiatePattern(topology: Topology, pattern: string): readonly string[] {
  if (!hasWildcard(pattern)) return [pattern];
  const topics = new Set<string>();
  for (const trigger of topology.hats.flatMap((hat) => hat.triggers)) {
    if (!intersectsPatterns(trigger, pattern)) continue;
    const topic = hasWildcard(trigger) ? joinPatterns(trigger, pattern) : trigger;
    if (matchesTopic(pattern, topic) && takersOf(topology, topic).length > 0) topics.add(topic);
  }
  const { terminalEvents, requiredEvents } = topology.spec;
  for (const topic of [...terminalEvents, ...requiredEvents]) if (matchesTopic(pattern, topic)) topics.add(topic);
  const other = fillIn(pattern);
  if (topics.size === 0 || takersOf(topology, other).length > 0) topics.add(other);
  return [...topics];
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

function fillIn(pattern: string): string {
  return pattern
    .split('.')
    .map((segment) => (segment === '*' ? ANY : segment))
    .join('.');
}
