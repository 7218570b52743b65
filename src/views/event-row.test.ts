import { describe, expect, it } from 'vitest';
import { createEventFold, matchesFilter } from './event-row.ts';
import { completedRun, createScript } from './fixtures.ts';

const rows = completedRun().records.flatMap(createEventFold());

describe('createEventFold', () => {
  it('has a row for everything that really happened, with its fate', () => {
    expect(rows.map((row) => [row.topic, row.source, row.to.join(), row.status])).toEqual([
      ['task.start', 'system', 'planner', 'routed'],
      ['build.task', 'planner', 'builder', 'routed'],
      ['builder.scope_violation', 'builder', '', 'refused'],
      ['build.blocked', 'quality_gate', 'planner', 'routed'],
      ['build.task', 'planner', 'builder', 'routed'],
      ['build.done', 'builder', 'reviewer', 'routed'],
      ['review.passed', 'reviewer', 'planner', 'routed'],
      ['build.task', 'planner', '', 'undelivered'],
      ['task.complete', 'planner', '', 'terminal'],
    ]);
  });

  it('has every documented field, and says which topic was refused', () => {
    expect(rows[2]).toEqual({
      v: 1,
      id: 'e90',
      seq: 5,
      ts: expect.any(Number),
      iteration: 2,
      topic: 'builder.scope_violation',
      source: 'builder',
      target: null,
      sender: null,
      causes: ['e2'],
      payload: { topic: 'ship.it', allowed: ['build.done'] },
      to: [],
      status: 'refused',
    });
  });

  it('keeps the topic of a promise that does not count', () => {
    const script = createScript();
    script.effect({
      type: 'event-reject',
      id: 'e1',
      iteration: 1,
      hat: 'builder',
      topic: 'LOOP_COMPLETE',
      why: 'may-not-end',
      allowed: [],
    });
    script.effect({ type: 'event-reject', id: 'e2', iteration: 1, hat: 'builder', topic: 'build.done', why: 'withdrawn', allowed: [] });
    expect(script.records.flatMap(createEventFold())).toMatchObject([
      { topic: 'LOOP_COMPLETE', status: 'refused', payload: { why: 'may-not-end' } },
      { topic: 'build.done', status: 'withdrawn' },
    ]);
  });

  it('has no row for inputs and other effects', () => {
    expect(createScript().records.flatMap(createEventFold())).toEqual([]);
  });
});

describe('matchesFilter', () => {
  const topicsOf = (filter: Parameters<typeof matchesFilter>[1]): readonly string[] =>
    rows.filter((row) => matchesFilter(row, filter)).map((row) => row.topic);

  it('takes a topic or a pattern', () => {
    expect(topicsOf({ topic: 'build.done' })).toEqual(['build.done']);
    expect(topicsOf({ topic: 'review.*' })).toEqual(['review.passed']);
  });

  it('takes a hat as author and as receiver', () => {
    expect(topicsOf({ hat: 'reviewer' })).toEqual(['build.done', 'review.passed']);
  });

  it('takes an iteration, and all conditions at once', () => {
    expect(topicsOf({ iteration: 2 })).toEqual(['builder.scope_violation', 'build.blocked']);
    expect(topicsOf({ iteration: 2, hat: 'planner' })).toEqual(['build.blocked']);
    expect(topicsOf({})).toHaveLength(rows.length);
  });
});
