import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completedRun, createScript } from '../fixtures.ts';
import { createEventFold, type EventRow, keepWithCauses, matchesFilter, toCausalTree } from './fold-events.ts';

const row = (id: string, ...causes: readonly string[]): EventRow => ({
  v: 1,
  sender: null,
  worker: null,
  id,
  seq: 1,
  ts: 0,
  iteration: 1,
  topic: 't',
  source: 's',
  target: null,
  causes,
  payload: '',
  to: [],
  status: 'routed',
});

const draw = (rows: readonly EventRow[]): readonly string[] =>
  toCausalTree(rows).map(({ branch, row: { id }, others }) => [`${branch}${id}`, ...others].join(' '));

describe('an event of a run on a fleet', () => {
  it('names the worker that had its turn, and none where it was not of a turn', () => {
    const script = createScript();
    script.publish('task.start', 'external', ['planner']);
    script.startTurn('planner', 1, { worker: 'w1' });
    script.publish('build.task', 'planner', ['builder']);
    script.startTurn('builder', 2, { worker: 'w2' });
    script.startTurn('builder', 2, { attempt: 2, worker: 'w3' });
    script.publish('build.done', 'builder', []);
    script.publish('person.said', 'external', ['builder']);
    script.startTurn('reviewer', 3);
    script.publish('review.done', 'reviewer', []);
    const toRows = createEventFold();
    const rows = script.records.flatMap((record) => toRows(record));
    expect(rows.map(({ topic, worker }) => `${topic} ${worker}`)).toEqual([
      'task.start null',
      'build.task w1',
      'build.done w3',
      'person.said null',
      'review.done null',
    ]);
  });
});

describe('the tree of causes', () => {
  it('goes down where one follows from one, and to the right where several do', () => {
    expect(draw([row('e1'), row('e2', 'e1'), row('e3', 'e2'), row('e4', 'e2'), row('e5', 'e3'), row('e6', 'e5'), row('e7')])).toEqual([
      'e1',
      '↳ e2',
      '├─ e3',
      '│  ↳ e5',
      '│  ↳ e6',
      '└─ e4',
      'e7',
    ]);
  });

  it('puts what has several causes below the last one, and names the others', () => {
    expect(draw([row('e1'), row('e2'), row('e3', 'e1', 'e2')])).toEqual(['e1', 'e2', '↳ e3 e1']);
  });

  it('puts what has only unknown causes at the top', () => {
    expect(draw([row('e3', 'e2')])).toEqual(['e3 e2']);
  });

  it('has each event once, a cause before what follows, in bounded width, however long the run was', () => {
    const causes = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 60 });
    fc.assert(
      fc.property(causes, (list) => {
        const rows = list.map((own, at) => row(`e${at}`, ...own.flatMap((value) => (at === 0 ? [] : `e${value % at}`))));
        const lines = toCausalTree(rows);
        expect(lines.map((line) => line.row.id).sort()).toEqual(rows.map(({ id }) => id).sort());
        const at = new Map(lines.map((line, index) => [line.row.id, index]));
        for (const { id, causes: own } of rows)
          expect(own.length === 0 || own.some((cause) => (at.get(cause) ?? 0) < (at.get(id) ?? 0))).toBe(true);
      }),
    );
    const fan = Array.from({ length: 3000 }, (_none, at) => row(`e${at}`, ...(at === 0 ? [] : [`e${Math.max(0, at - 1 - (at % 2))}`])));
    expect(Math.max(...toCausalTree(fan).map(({ branch }) => branch.length))).toBeLessThanOrEqual(66);
  });
});

it('keeps what is meant with everything that it followed from', () => {
  const rows = [row('e1'), row('e2', 'e1'), row('e3', 'e1'), row('e4', 'e2')];
  expect(keepWithCauses(rows, ({ id }) => id === 'e4').map(({ id }) => id)).toEqual(['e1', 'e2', 'e4']);
});

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
      worker: null,
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
