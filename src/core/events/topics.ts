/**
 * Topics and the patterns that match them.
 *
 * A topic is `word(.word)*`, case-sensitive. In a pattern `*` is a whole segment: at the end it matches one or
 * more segments, elsewhere exactly one; `*` alone matches everything.
 */
const TOPIC = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
const PATTERN = /^(?:[A-Za-z0-9_-]+|\*)(?:\.(?:[A-Za-z0-9_-]+|\*))*$/;

/** The longest topic that is taken from an agent, in characters. */
export const MAX_TOPIC_LENGTH = 200;

export function isTopic(text: string): boolean {
  return text.length <= MAX_TOPIC_LENGTH && TOPIC.test(text);
}

export function isTopicPattern(text: string): boolean {
  return text.length <= MAX_TOPIC_LENGTH && PATTERN.test(text);
}

/** True if the pattern has a `*`. */
export function hasWildcard(pattern: string): boolean {
  return pattern.includes('*');
}

/** True if the pattern matches the topic. Both are taken as valid. */
export function matchesTopic(pattern: string, topic: string): boolean {
  if (pattern === topic || pattern === '*') return true;
  if (!hasWildcard(pattern)) return false;
  const wanted = pattern.split('.');
  const given = topic.split('.');
  const open = wanted[wanted.length - 1] === '*';
  if (open ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, index) => segment === '*' || segment === given[index]);
}

/** True if some topic matches both patterns. */
export function intersectsPatterns(left: string, right: string): boolean {
  if (left === '*' || right === '*') return true;
  const a = left.split('.');
  const b = right.split('.');
  const openA = a[a.length - 1] === '*';
  const openB = b[b.length - 1] === '*';
  if (!openA && !openB && a.length !== b.length) return false;
  if (!openA && a.length < b.length) return false;
  if (!openB && b.length < a.length) return false;
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    if (a[index] !== '*' && b[index] !== '*' && a[index] !== b[index]) return false;
  }
  return true;
}

/**
 * How closely a pattern describes what it matches: `[class, literal segments, literal characters]`,
 * compared from the left, larger wins. Class 2 is an exact topic, 1 a pattern, 0 the lone `*`.
 */
export type PatternPrecedence = readonly [number, number, number];

/** The precedence of a pattern (exact > more literal segments > more literal characters > `*`). */
export function toPrecedence(pattern: string): PatternPrecedence {
  if (pattern === '*') return [0, 0, 0];
  const literal = pattern.split('.').filter((segment) => segment !== '*');
  const characters = literal.reduce((sum, segment) => sum + segment.length, 0);
  return [hasWildcard(pattern) ? 1 : 2, literal.length, characters];
}

/** Negative if `left` has the lower precedence, positive if the higher, 0 if equal. */
export function comparePrecedence(left: PatternPrecedence, right: PatternPrecedence): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}
