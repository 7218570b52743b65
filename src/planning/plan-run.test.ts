import { describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { narrowSpec } from './plan-run.ts';

const TEAM = makeSpec({ hats: [makeHat('planner', ['task.start']), makeHat('builder', ['build.task'])] });

describe('one turn of one hat', () => {
  it('begins with that hat and allows one iteration', () => {
    const topology = compileTopology(narrowSpec(TEAM, 'builder'));
    expect(topology.entry).toBe('builder');
    expect(topology.spec.limits.maxIterations).toBe(1);
  });

  it('refuses a hat that there is not, and lists those that there are', () => {
    expect(() => narrowSpec(TEAM, 'bilder')).toThrow(
      expect.objectContaining({ code: 'hat-not-there', exitCode: 2, fix: 'Hats: planner, builder.' }),
    );
  });
});
