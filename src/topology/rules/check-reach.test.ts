import { describe, expect, it } from 'vitest';
import type { HatSpec } from '../../core/run/run-spec.ts';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../routing/compile-topology.ts';
import { renderFlow } from './check-reach.ts';

function render(hats: readonly HatSpec[], parts: Parameters<typeof makeSpec>[0] = {}): readonly string[] {
  return renderFlow(compileTopology(makeSpec({ hats, ...parts })));
}

describe('the flow as text', () => {
  it('follows the events until it meets a hat again, then begins where more is published', () => {
    const hats = [
      makeHat('planner', ['task.start', 'task.resume', 'build.done', 'review.done'], ['build.task', 'review.task']),
      makeHat('builder', ['build.task'], ['build.done', 'build.lost']),
      makeHat('reviewer', ['review.task'], ['review.done', 'LOOP_COMPLETE']),
    ];
    expect(render(hats)).toEqual([
      '  task.start → planner → build.task → builder → build.done → planner',
      '  planner → review.task → reviewer → review.done → planner',
      '  builder → build.lost → (no subscriber)',
      '  reviewer → LOOP_COMPLETE → (end)',
    ]);
  });

  it('shows a team that publishes nothing', () => {
    expect(render([makeHat('worker', ['task.ready'])])).toEqual(['  task.ready → worker']);
  });

  it('names all who take a pattern, and goes where a target points', () => {
    const hats = [
      makeHat('a', ['task.start'], ['b.*', { topic: 'hand.over', target: 'c' }]),
      makeHat('b', ['b.one']),
      makeHat('c', ['b.two']),
    ];
    expect(render(hats)).toEqual(['  task.start → a → b.* → b', '  a → b.* → c', '  a → hand.over → c']);
  });

  it('breaks long lines at an arrow and goes on with the same hat', () => {
    const hats = Array.from({ length: 6 }, (_none, index) =>
      makeHat(`the-hat-number-${index}`, [index === 0 ? 'task.start' : `the.step.number.${index}`], [`the.step.number.${index + 1}`]),
    );
    const lines = render(hats);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(lines[0]).toBe('  task.start → the-hat-number-0 → the.step.number.1 → the-hat-number-1');
    expect(lines[1]).toBe('  the-hat-number-1 → the.step.number.2 → the-hat-number-2');
  });

  it('stays within ten lines and a hundred columns, whatever the team', () => {
    const long = 'x'.repeat(150);
    const hats = Array.from({ length: 300 }, (_none, index) =>
      makeHat(
        `${long}${index}`,
        [index === 0 ? 'task.start' : `${long}.${index}`],
        [`${long}.${(index + 1) % 300}`, `${long}.${(index * 7) % 300}`],
      ),
    );
    const lines = render(hats);
    expect(lines).toHaveLength(11);
    expect(lines[10]).toBe('  …');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});
