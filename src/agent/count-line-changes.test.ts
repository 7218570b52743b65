import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countLineChanges } from './count-line-changes.ts';

it.each([
  ['', 'a\nb\n', 2, 0],
  ['a\nb\n', '', 0, 2],
  ['a\nb\nc\n', 'a\nx\nc\n', 1, 1],
  ['a\nb\nc\n', 'c\na\nb\n', 1, 1],
  ['a\n', 'a', 0, 0],
])('from %j to %j', (before, after, added, removed) => {
  expect(countLineChanges(before, after)).toEqual({ added, removed });
});

it('adds up, and is the same the other way round', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const there = countLineChanges(left.join('\n'), right.join('\n'));
      const back = countLineChanges(right.join('\n'), left.join('\n'));
      expect(back).toEqual({ added: there.removed, removed: there.added });
      expect(left.length + there.added - there.removed).toBe(right.length);
      if (left.join() === right.join()) expect(there).toEqual({ added: 0, removed: 0 });
    }),
  );
});

it('finds a few changes in a long text, and gives a long text up that is another one', () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
  const changed = long.filter((_, index) => index % 500 !== 0);
  expect(countLineChanges(long.join('\n'), changed.join('\n'))).toEqual({ added: 0, removed: 40 });
  const other = long.map((line, index) => (index % 2 === 0 ? line : `another ${index}`));
  expect(countLineChanges(long.join('\n'), other.join('\n'))).toEqual({ added: 19_999, removed: 19_999 });
});

it('counts only what was appended, put in front or put in the middle, however much it is', () => {
  const long = Array.from({ length: 5000 }, (_, index) => `line ${index}`);
  const more = Array.from({ length: 1001 }, (_, index) => `more ${index}`);
  for (const at of [5000, 0, 2500]) {
    const changed = [...long.slice(0, at), ...more, ...long.slice(at)];
    expect(countLineChanges(long.join('\n'), changed.join('\n'))).toEqual({ added: 1001, removed: 0 });
    expect(countLineChanges(changed.join('\n'), long.join('\n'))).toEqual({ added: 0, removed: 1001 });
  }
});
