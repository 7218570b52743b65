import { describe, expect, it } from 'vitest';
import type { HatSpec } from '../../core/run/run-spec.ts';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { checkCatchAlls } from './check-catch-alls.ts';
import { askRule } from './rule-fixtures.ts';

function check(hats: readonly HatSpec[], parts: Omit<NonNullable<Parameters<typeof makeSpec>[0]>, 'hats'> = {}) {
  return askRule(checkCatchAlls, makeSpec({ hats, ...parts }));
}

function messagesOf(...args: Parameters<typeof check>): readonly string[] {
  return check(...args).map((finding) => finding.message);
}

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task']);
const BUILDER = makeHat('builder', ['build.task'], ['build.done']);

describe('a slip of the pen that ends at a star', () => {
  it('is told where another hat takes it', () => {
    const planner = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['biuld.task']);
    expect(check([planner, BUILDER, makeHat('watcher', ['*'], ['build.done'])])).toMatchObject([
      {
        code: 'wildcard-swallows',
        severity: 'warning',
        message: "'biuld.task' ends at the '*' of 'watcher': did you mean 'build.task', which 'builder' takes?",
        at: { kind: 'hat-item', hat: 'planner', list: 'publishes', item: 'biuld.task' },
        hats: ['planner', 'watcher', 'builder'],
        topics: ['biuld.task', 'build.task'],
        related: [
          { at: { hat: 'builder', list: 'triggers', item: 'build.task' } },
          { at: { hat: 'watcher', list: 'triggers', item: '*' } },
        ],
        repairs: [{ isSafe: true, change: { kind: 'replace', text: 'build.task' } }],
      },
    ]);
  });

  it('is told of a star that leads the team too', () => {
    const lead = makeHat('lead', ['*'], ['build.task', 'test.go']);
    const tester = makeHat('tester', ['test.go'], ['biuld.task']);
    expect(messagesOf([lead, BUILDER, tester])).toEqual([
      "'biuld.task' ends at the '*' of 'lead': did you mean 'build.task', which 'builder' takes?",
    ]);
  });

  it('is not told of what the hat of the star says itself', () => {
    expect(messagesOf([makeHat('lead', ['*'], ['build.task', 'biuld.task']), BUILDER])).toEqual([]);
  });
});

describe('the start of the run that ends at a star', () => {
  it('is told where another hat takes its counterpart by name', () => {
    const planner = makeHat('boss', ['task.start', 'build.done'], ['build.task']);
    expect(messagesOf([planner, BUILDER, makeHat('rest', ['*'], ['build.task'])])).toEqual(["The '*' of 'rest' takes 'task.resume'."]);
    const resumer = makeHat('boss', ['task.resume', 'build.done'], ['build.task']);
    expect(messagesOf([resumer, BUILDER, makeHat('rest', ['*'], ['build.task'])])).toEqual(["The '*' of 'rest' takes 'task.start'."]);
  });

  it('is told where the hat of the star hands on to nobody', () => {
    expect(check([BUILDER, makeHat('reviewer', ['build.done'], ['build.task']), makeHat('logger', ['*'])])).toMatchObject([
      {
        message: "The '*' of 'logger' takes 'task.start' and 'task.resume'.",
        at: { kind: 'hat-item', hat: 'logger', list: 'triggers', item: '*' },
        hats: ['logger'],
      },
    ]);
  });

  it('is fine with a hat that leads the team by its star', () => {
    expect(messagesOf([makeHat('lead', ['*'], ['build.task']), BUILDER])).toEqual([]);
    expect(messagesOf([makeHat('lead', ['*'], ['build.task']), BUILDER], { startingHat: 'lead', recoveryHat: 'lead' })).toEqual([]);
  });
});

describe('what a star hides', () => {
  const monitor = makeHat('monitor', ['*'], ['build.done']);

  it('is told where the star is not the leader’s', () => {
    const builder = makeHat('builder', ['build.task'], ['build.done', 'build.failed', 'tests.red']);
    expect(check([PLANNER, builder, monitor])).toMatchObject([
      {
        code: 'wildcard-swallows',
        severity: 'warning',
        message: "The '*' of 'monitor' takes 'build.failed', 'tests.red'.",
        at: { kind: 'hat-item', hat: 'monitor', list: 'triggers', item: '*' },
        hats: ['monitor', 'builder'],
        topics: ['build.failed', 'tests.red'],
        related: [{ at: { hat: 'builder', list: 'publishes', item: 'build.failed' } }, { at: { item: 'tests.red' } }],
      },
    ]);
  });

  it('is told where it would go to Ralph', () => {
    const [finding] = check([BUILDER, monitor], { coordinator: 'ralph' });
    expect(finding?.why).toContain('would go to Ralph');
  });

  it('is nothing where all is taken by name, is terminal, goes to a target, or is said by the hat of the star itself', () => {
    const builder = makeHat('builder', ['build.task'], ['build.done', 'shipped', { topic: 'help', target: 'monitor' }]);
    const own = makeHat('monitor', ['*'], ['build.done', 'mine']);
    expect(messagesOf([PLANNER, builder, own], { terminalEvents: ['shipped'] })).toEqual([]);
  });

  it('knows other stars, and patterns that say something', () => {
    const builder = makeHat('builder', ['build.task'], ['build.done', 'tests.red']);
    expect(messagesOf([PLANNER, builder, makeHat('monitor', ['*.*'], ['build.done'])])).toEqual([
      "The '*.*' of 'monitor' takes 'tests.red'.",
    ]);
    expect(messagesOf([PLANNER, builder, makeHat('tester', ['tests.*'], ['build.done'])])).toEqual([]);
  });
});

it('has nothing to say of a lone hat, of `mode: single`, and of teams without stars', () => {
  expect(messagesOf([makeHat('worker', ['*'], ['x'])])).toEqual([]);
  expect(check([], { mode: 'single' })).toEqual([]);
  expect(messagesOf([PLANNER, BUILDER])).toEqual([]);
});
