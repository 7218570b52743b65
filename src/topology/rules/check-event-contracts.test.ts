import { describe, expect, it } from 'vitest';
import { makeGate, makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { checkEventContracts } from './check-event-contracts.ts';
import { askRule } from './rule-fixtures.ts';

const HATS = [
  makeHat('planner', ['task.start', 'task.resume', 'build.done', 'old.*'], ['build.task', 'note.*']),
  makeHat('builder', ['build.task'], ['build.done']),
];

const check = (topics: readonly string[], parts: Parameters<typeof makeSpec>[0] = {}) =>
  askRule(checkEventContracts, makeSpec({ hats: HATS, events: Object.fromEntries(topics.map((topic) => [topic, {}])), ...parts }));

describe('a topic that is described', () => {
  it.each(['build.done', 'build.task', 'note.taken', 'old.news', 'task.start', 'task.complete', 'LOOP_COMPLETE', 'human.said'])(
    'is known where a hat publishes or takes it, or the loop does: %s',
    (topic) => {
      expect(check([topic])).toEqual([]);
    },
  );

  it('is known where it is terminal, required, or what a gate makes of another', () => {
    const parts = { terminalEvents: ['ship.done'], requiredEvents: ['docs.done'], gates: [makeGate(['build.done'])] };
    expect(check(['ship.done', 'docs.done', 'build.blocked'], parts)).toEqual([]);
  });

  it('is told where nobody knows it, with what was probably meant', () => {
    expect(check(['biuld.done', 'weather.changed'])).toMatchObject([
      { message: expect.stringContaining("did you mean 'build.done'?"), repairs: [{ change: { text: 'build.done' }, isSafe: false }] },
      { at: { kind: 'event', topic: 'weather.changed' } },
    ]);
  });

  it('is not renamed into one that is described already', () => {
    expect(check(['biuld.done', 'build.done'])[0]).not.toHaveProperty('repairs');
  });

  it('is nobody else’s business where an agent works alone', () => {
    expect(check(['any.topic'], { hats: null })).toEqual([]);
  });
});
