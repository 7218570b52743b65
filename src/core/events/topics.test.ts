import { describe, expect, it } from 'vitest';
import {
  comparePrecedence,
  hasWildcard,
  intersectsPatterns,
  isTopic,
  isTopicPattern,
  MAX_TOPIC_LENGTH,
  matchesTopic,
  toPrecedence,
} from './topics.ts';

/** All texts of one to `length` segments out of `words`. */
function enumerate(words: readonly string[], length: number): readonly string[] {
  if (length === 0) return [];
  const shorter = enumerate(words, length - 1);
  const longest = shorter.filter((text) => text.split('.').length === length - 1);
  const grown = length === 1 ? words : longest.flatMap((text) => words.map((word) => `${text}.${word}`));
  return [...shorter, ...grown];
}

/** The rule of decisions 4 once more, as a regular expression. */
function toRegExp(pattern: string): RegExp {
  if (pattern === '*') return /^.+$/;
  const segments = pattern.split('.').map((segment) => (segment === '*' ? '[^.]+' : segment));
  const open = pattern.endsWith('.*') ? '(\\.[^.]+)*' : '';
  return new RegExp(`^${segments.join('\\.')}${open}$`);
}

const PATTERNS = enumerate(['a', 'b', '*'], 3);
const TOPICS = enumerate(['a', 'b', 'c'], 5);

describe('topics', () => {
  it.each(['task.start', 'build', 'a-b_c.D.9', 'A', `${'a'.repeat(MAX_TOPIC_LENGTH)}`])('takes %s as a topic', (text) => {
    expect(isTopic(text)).toBe(true);
  });

  it.each(['', '.', 'a.', '.a', 'a..b', 'a b', 'a.*', '*', 'ä', 'a/b', 'a:b', 'a\n', 'a'.repeat(MAX_TOPIC_LENGTH + 1)])(
    'does not take %j as a topic',
    (text) => {
      expect(isTopic(text)).toBe(false);
    },
  );

  it.each(['*', 'a.*', '*.b', 'a.*.c', 'task.start', 'a'.repeat(MAX_TOPIC_LENGTH)])('takes %s as a pattern', (text) => {
    expect(isTopicPattern(text)).toBe(true);
  });

  it.each(['build*', '*a', 'a.b*', '**', 'a.**', '', 'a.', 'a.*.'])(
    'does not take %j as a pattern, because * is a whole segment',
    (text) => {
      expect(isTopicPattern(text)).toBe(false);
    },
  );

  it('knows a pattern by its star', () => {
    expect([hasWildcard('a.*'), hasWildcard('a.b')]).toEqual([true, false]);
  });
});

describe('matching a topic', () => {
  it.each([
    ['impl.*', 'impl.done', true],
    ['impl.*', 'impl.done.twice', true],
    ['impl.*', 'impl', false],
    ['*.done', 'impl.done', true],
    ['*.done', 'a.b.done', false],
    ['a.*.c', 'a.b.c', true],
    ['a.*.c', 'a.b.b.c', false],
    ['*', 'anything.at.all', true],
    ['task.start', 'task.started', false],
    ['Task.start', 'task.start', false],
    ['*.*', 'a', false],
    ['*.*', 'a.b.c', true],
  ])('the pattern %s and the topic %s: %s', (pattern, topic, expected) => {
    expect(matchesTopic(pattern, topic)).toBe(expected);
  });

  it('agrees with a naive oracle on every small pattern and topic', () => {
    const wrong = PATTERNS.flatMap((pattern) =>
      TOPICS.filter((topic) => matchesTopic(pattern, topic) !== toRegExp(pattern).test(topic)).map((topic) => `${pattern} ${topic}`),
    );
    expect(wrong).toEqual([]);
    expect(PATTERNS).toHaveLength(39);
  });

  it('finds two patterns intersecting exactly when some small topic matches both', () => {
    const wrong = PATTERNS.flatMap((left) =>
      PATTERNS.filter((right) => {
        const shared = TOPICS.some((topic) => toRegExp(left).test(topic) && toRegExp(right).test(topic));
        return intersectsPatterns(left, right) !== shared;
      }).map((right) => `${left} ${right}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('precedence', () => {
  it('ranks exact over more literal segments over more literal characters over the lone star', () => {
    const shuffled = ['*', '*.*', 'review.*', 'a.b.*', 'a.*', 'a.b.c', '*.done.*'];
    const ranked = [...shuffled].sort((left, right) => comparePrecedence(toPrecedence(right), toPrecedence(left)));
    expect(ranked).toEqual(['a.b.c', 'a.b.*', 'review.*', '*.done.*', 'a.*', '*.*', '*']);
  });

  it('finds patterns of equal closeness equal', () => {
    expect(comparePrecedence(toPrecedence('task.*'), toPrecedence('*.done'))).toBe(0);
  });

  it('ranks a short exact topic over a long pattern', () => {
    expect(comparePrecedence(toPrecedence('a'), toPrecedence('long.words.everywhere.*'))).toBeGreaterThan(0);
  });
});
