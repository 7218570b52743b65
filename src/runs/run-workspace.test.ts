import { expect, it } from 'vitest';
import { isWorktreeOf, toCommitSubject, toWorktreeName } from './run-workspace.ts';

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

it.each([
  ['Make the failing test pass.', 'ralph: Make the failing test pass.'],
  ['\n# Task\n\nMend it.', 'ralph: Task'],
  ['- [ ] mend \u001b[31mit', 'ralph: mend \ufffd[31mit'],
  ['', 'ralph: the work of a run'],
  ['x'.repeat(100), `ralph: ${'x'.repeat(64)}…`],
])('the last commit of a run bears its task: %j', (task, subject) => {
  expect(toCommitSubject(task)).toBe(subject);
});

it.each(['Mend the login', '修复测试'])('the worktree of a run is told by its name: %s', (task) => {
  expect(isWorktreeOf(RUN, toWorktreeName(RUN, task))).toBe(true);
  expect(isWorktreeOf(RUN, toWorktreeName(`${RUN}0`, task))).toBe(false);
});
