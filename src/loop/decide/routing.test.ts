import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { given, handOn, notices, type Play, play, published, ran, refused, say, write } from './decide-fixtures.ts';

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'plan.*'], ['impl.start', 'impl.done', 'gossip', 'plan.again']);
const IMPLEMENTER = makeHat('implementer', ['impl.*'], ['plan.done', 'impl.more']);
const REVIEWER = makeHat('reviewer', ['review.start', 'impl.done'], ['plan.done']);
const HATS = [PLANNER, IMPLEMENTER, REVIEWER];

/** A team that coordinates itself; its planner runs. */
function team(parts: Parameters<typeof play>[0] = {}): Play {
  return play({ hats: HATS, ...parts });
}

describe('routing', () => {
  it('a hat subscribed to `impl.*` receives an event with topic `impl.start`', () => {
    const run = team();
    run.end([write('impl.start')]);
    expect([published(run).at(-1), ran(run)]).toEqual(['impl.start > implementer', ['planner', 'implementer']]);
  });

  it('a hat subscribed to `task.start` does NOT receive an event with topic `impl.done`', () => {
    const run = team();
    run.end([write('impl.done')]);
    expect(published(run).at(-1)).toBe('impl.done > reviewer');
  });

  it('an exact trigger wins over a pattern', () => {
    const run = team();
    run.end([write('impl.done'), write('impl.start')]);
    expect(published(run).slice(1)).toEqual(['impl.done > reviewer', 'impl.start > implementer']);
  });

  it('a hat may take what it publishes itself', () => {
    const run = team();
    run.end([write('plan.again')]);
    expect(ran(run)).toEqual(['planner', 'planner']);
  });

  it('one hat takes an event, unless the routing is fanout', () => {
    const hats = [PLANNER, makeHat('a', ['impl.start']), makeHat('b', ['impl.start'])];
    const [exclusive, fanout] = (['exclusive', 'fanout'] as const).map((routing) => {
      const run = play({ hats, routing });
      run.end([write('impl.start')]);
      return published(run).at(-1);
    });
    expect([exclusive, fanout]).toEqual(['impl.start > a', 'impl.start > a, b']);
  });

  it('Unsubscribed event triggers Ralph', () => {
    const run = play({ hats: [makeHat('builder', ['build.start'], ['build.done'])] });
    run.end([write('build.start')]);
    run.end([write('build.done', 'three files')]);
    expect(published(run).at(-1)).toBe('build.done > ralph');
    expect(run.turn()).toMatchObject({
      hat: 'ralph',
      fallback: 'untaken',
      events: [{ topic: 'build.done', payload: 'three files', source: 'builder' }],
    });
  });

  it('an event that nobody takes goes to Ralph also under hats, with a visible notice: it is never dropped', () => {
    const run = team();
    run.end([write('gossip', 'words')]);
    expect([published(run).at(-1), ran(run).at(-1), notices(run)]).toEqual(['gossip > ralph', 'ralph', ['untaken-event']]);
  });

  it('a terminal event needs no subscriber: it is recorded, handed to nobody, and does not end the run', () => {
    const run = team({ terminalEvents: ['gossip'] });
    run.end([write('gossip'), write('gossip', 2)]);
    expect(run.all('event-publish').slice(1, 3)).toMatchObject([
      { event: { topic: 'gossip' }, to: [], how: 'terminal' },
      { event: { topic: 'gossip', payload: 2 }, to: [], how: 'terminal' },
    ]);
    expect(given(run)).toEqual(['task.resume']);
  });

  it('a terminal event that a hat takes is routed as any other', () => {
    const run = team({ terminalEvents: ['impl.done'] });
    run.end([write('impl.done')]);
    expect(published(run).at(-1)).toBe('impl.done > reviewer');
  });
});

describe('a target', () => {
  it('the event is routed directly to the reviewer hat', () => {
    const run = team();
    run.end([say('gossip', 'look', 'reviewer')]);
    expect(run.last('event-publish')).toMatchObject({ event: { topic: 'gossip', target: 'reviewer' }, to: ['reviewer'], how: 'target' });
    expect(ran(run)).toEqual(['planner', 'reviewer']);
  });

  it('wins over an exact trigger', () => {
    const run = team();
    run.end([write('impl.done', '', 'implementer')]);
    expect(published(run).at(-1)).toBe('impl.done > implementer');
  });

  it('does not lift publishes', () => {
    const run = team();
    run.end([write('review.start', '', 'reviewer')]);
    expect(refused(run)).toEqual(['review.start: scope']);
  });

  it('lifts publishes too in files of seed 004, where `mode` is given', () => {
    const run = team({ mode: 'multi' });
    run.end([say('handoff', 'please', 'reviewer')]);
    expect([refused(run), published(run).at(-1)]).toEqual([[], 'handoff > reviewer']);
  });

  it('that is no hat goes to Ralph, with a warning', () => {
    const run = team();
    run.end([write('gossip', '', 'nobody')]);
    expect([published(run).at(-1), notices(run), ran(run).at(-1)]).toEqual(['gossip > ralph', ['unknown-target'], 'ralph']);
  });

  it('may be Ralph himself', () => {
    const run = team();
    run.end([write('gossip', '', 'ralph')]);
    expect([published(run).at(-1), run.turn().hat, run.turn().fallback]).toEqual(['gossip > ralph', 'ralph', null]);
  });

  it('is taken from publishes where the author names none', () => {
    const hats = [makeHat('planner', ['task.start'], [{ topic: 'ask.*', target: 'b' }]), makeHat('a', ['ask.help']), makeHat('b', ['x'])];
    const run = play({ hats });
    run.end([write('ask.help')]);
    expect(run.last('event-publish')).toMatchObject({ event: { target: 'b' }, to: ['b'], how: 'target' });
  });
});

describe('the queue', () => {
  it('the hat that owns the oldest undelivered event runs, and all its pending events are handed over in one turn', () => {
    const run = team();
    run.end([write('impl.done', 1), write('impl.start', 2), write('impl.done', 3)]);
    expect([run.turn().hat, run.turn().events.map((event) => event.payload)]).toEqual(['reviewer', [1, 3]]);
    run.end([write('plan.done', 4)]);
    expect([run.turn().hat, run.turn().events.map((event) => event.payload)]).toEqual(['implementer', [2]]);
    run.end();
    expect([run.turn().hat, run.turn().events.map((event) => event.payload)]).toEqual(['planner', [4]]);
  });

  it('ties go by the order of the file', () => {
    const hats = [PLANNER, makeHat('b', ['impl.*']), makeHat('a', ['impl.*'])];
    const run = play({ hats, routing: 'fanout' });
    run.end([write('impl.start')]);
    run.end();
    expect(ran(run)).toEqual(['planner', 'b', 'a']);
  });

  it('what is published while others wait comes after them', () => {
    const run = team();
    run.end([write('impl.start'), write('impl.done')]);
    run.end([write('plan.done'), write('impl.more')]);
    run.end();
    run.end();
    expect(ran(run)).toEqual(['planner', 'implementer', 'reviewer', 'planner', 'implementer']);
  });
});

describe('two channels', () => {
  it('the same topic with the same payload through both is one event', () => {
    const run = team();
    run.end([
      write('impl.start', { b: 2, a: 1 }),
      write('impl.done', 'words'),
      say('impl.done', ' words\n'),
      say('impl.start', '{"a":1,"b":2}'),
    ]);
    expect(published(run).slice(1)).toEqual(['impl.start > implementer', 'impl.done > reviewer']);
  });

  it('twice through one channel is two', () => {
    const run = team();
    run.end([write('impl.start', 'x'), write('impl.start', 'x')]);
    expect(published(run).slice(1)).toEqual(['impl.start > implementer', 'impl.start > implementer']);
  });

  it('once through one and twice through the other is two', () => {
    const run = team();
    run.end([write('impl.start', 'x'), say('impl.start', 'x'), say('impl.start', 'x')]);
    expect(published(run)).toHaveLength(3);
  });

  it('different payloads are different events', () => {
    const run = team();
    run.end([write('impl.start', 'x'), say('impl.start', 'y')]);
    expect(published(run)).toHaveLength(3);
  });
});

describe('events', () => {
  it('carry the active hat as their source and ids that grow', () => {
    const run = team();
    run.end([write('impl.start'), write('review.start'), write('impl.done')]);
    run.end([write('plan.done')]);
    expect(run.all('event-publish').map(({ event }) => [event.id, event.topic, event.source, event.iteration])).toEqual([
      ['e1', 'task.start', 'system', 0],
      ['e3', 'impl.start', 'planner', 1],
      ['e4', 'impl.done', 'planner', 1],
      ['e5', 'plan.done', 'implementer', 2],
    ]);
    expect(run.last('event-reject')).toMatchObject({ id: 'e2', topic: 'review.start', hat: 'planner', iteration: 1 });
  });

  it('may carry any JSON value', () => {
    const run = team();
    run.end([write('impl.start', null), write('impl.start', [1, { a: false }])]);
    expect(run.turn().events.map((event) => event.payload)).toEqual([null, [1, { a: false }]]);
  });
});

describe('hats with the names of things that every object has', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s is a hat like any other', (name) => {
    const hats = [
      makeHat('planner', ['task.start'], ['go']),
      makeHat(name, ['go'], ['planned'], { maxActivations: 1, backends: ['a', 'b'] }),
    ];
    const run = play({ hats, onLimit: 'switch' });
    run.end([write('go')]);
    expect(run.turn()).toMatchObject({ hat: name, backend: 0, feedback: [] });
    run.fail({ class: 'limit' });
    expect(run.turn()).toMatchObject({ hat: name, backend: 1, iteration: 2, attempt: 2 });
    run.end([write('other'), handOn('nobody'), write('planned')]);
    run.end([write('go')]);
    expect([ran(run), run.state().feedback[name]]).toEqual([
      ['planner', name, name, 'ralph', 'ralph'],
      [
        { kind: 'refused', topic: 'other', allowed: ['planned'] },
        { kind: 'refused', topic: 'legacy.hat_transition.nobody', allowed: ['planner', name] },
      ],
    ]);
  });
});
