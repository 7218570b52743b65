import { expect, it } from 'vitest';
import { toWorktreeName } from './worktree-name.ts';

const RUN = '20261123-071522-a1b2c';

it.each([
  ['Make the tests pass.\n\nAll of them.', 'make-the-tests-pass-all-of-them'],
  ['# Fix bug #17: `parse("x")` crashes', 'fix-bug-17-parse-x-crashes'],
  ['Über die Brücke', 'uber-die-brucke'],
  ['one two three four five six seven eight nine ten', 'one-two-three-four-five-six-seven-eight'],
  ['x'.repeat(100), 'x'.repeat(40)],
  ['../../etc/passwd; rm -rf / --force', 'etc-passwd-rm-rf-force'],
])('a worktree bears the first words of its task: %j', (task, slug) => {
  expect(toWorktreeName(RUN, task)).toBe(`${RUN}-${slug}`);
});

it('is called by the run alone where the task has no letter that a branch can bear everywhere', () => {
  expect(toWorktreeName(RUN, '修复测试')).toBe(RUN);
});
