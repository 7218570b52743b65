import { describe, expect, it } from 'vitest';
import { makeHat } from '../core/spec-fixtures.ts';
import { SELF_COORDINATED, sampleTopology, TEAM } from './fixtures.ts';
import { toText } from './prompt-text.ts';
import { flowLines } from './team-section.ts';

type Changes = Parameters<typeof sampleTopology>[0];
const draw = (changes: Changes): readonly string[] => flowLines(sampleTopology(changes)).map(toText);

describe('the flow of events as text', () => {
  it('follows events through a team that coordinates itself', () => {
    expect(draw({ hats: SELF_COORDINATED })).toEqual([
      'task.start -> planner -> build.task -> builder -> build.done, build.blocked -> planner',
    ]);
  });

  it('shows each edge of a team under Ralph once, and Ralph where nobody else takes an event', () => {
    expect(draw({ hats: TEAM })).toEqual([
      'task.start -> ralph -> build.task -> builder -> build.done -> reviewer -> review.approved -> ralph',
      'builder -> build.blocked -> ralph',
      'reviewer -> review.rejected -> builder',
    ]);
  });

  it('begins with the starting event', () => {
    expect(draw({ hats: TEAM, startingEvent: 'build.task' })[0]).toMatch(/^build\.task -> builder -> build\.done/);
  });

  it('ends a line at a terminal event and leaves the ways to end the run out', () => {
    const hats = [makeHat('deployer', ['deploy.start'], ['deploy.done', 'LOOP_COMPLETE'])];
    expect(draw({ hats, terminalEvents: ['deploy.done'] })).toEqual(['task.start -> ralph -> deploy.start -> deployer -> deploy.done']);
  });

  it('names the target of a targeted event and all takers of a pattern', () => {
    const hats = [
      makeHat('lead', ['task.start'], ['review.*'], { publishes: [{ topic: 'review.*' }, { topic: 'hand', target: 'b' }] }),
      makeHat('a', ['review.code'], []),
      makeHat('b', ['review.text'], []),
    ];
    expect(draw({ hats, coordinator: 'hats' })).toEqual(['task.start -> lead -> review.* -> a, b', 'lead -> hand -> b']);
  });

  it('shows a hat that publishes to itself without going round for ever', () => {
    expect(draw({ hats: [makeHat('loner', ['task.start', 'again'], ['again'])] })).toEqual(['task.start -> loner -> again -> loner']);
  });

  it('numbers the receivers that are too many to name', () => {
    const takers = Array.from({ length: 8 }, (_, index) => makeHat(`t${index}`, ['news'], []));
    const hats = [makeHat('lead', ['task.start'], ['news']), ...takers];
    expect(draw({ hats, routing: 'fanout' })).toEqual(['task.start -> lead -> news -> t0, t1, t2, t3, t4 and 3 more']);
  });
});
