import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { changed, ending, given, notices, type Play, play, published, ran, write } from './decide-fixtures.ts';

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.start']);

/** A team whose builder may run so many times; the builder runs for the first time. */
function team(maxActivations: number, parts: Parameters<typeof play>[0] = {}): Play {
  const run = play({ hats: [PLANNER, makeHat('builder', ['build.start'], ['build.done'], { maxActivations })], ...parts });
  run.end([write('build.start', 1)]);
  return run;
}

describe('max_activations per hat', () => {
  it('then its events go to Ralph with `<hat>.exhausted` in the journal', () => {
    const run = team(1);
    run.end([write('build.done')]);
    run.end([write('build.start', 2), write('build.start', 3)]);
    expect(run.turn()).toMatchObject({
      hat: 'ralph',
      fallback: 'exhausted',
      events: [{ topic: 'build.start', payload: 2 }, { payload: 3 }],
    });
    expect(run.last('event-publish')).toMatchObject({
      event: { topic: 'builder.exhausted', source: 'system', payload: { max_activations: 1, events: ['build.start', 'build.start'] } },
      to: [],
      how: 'record',
    });
    expect(notices(run)).toEqual(['hat-exhausted']);
  });

  it('allows as many turns as it says', () => {
    const run = team(3);
    for (let count = 2; count <= 5; count += 1) {
      run.end([write('build.done', count)]);
      if (run.turn().hat === 'planner') run.end([write('build.start', count)]);
    }
    expect(ran(run).filter((hat) => hat === 'builder')).toHaveLength(3);
  });

  it('another attempt after a transient error is no turn of its own', () => {
    const run = team(1);
    run.fail({ class: 'transient' });
    run.ring();
    expect([ran(run), run.state().activationCounts]).toEqual([['planner', 'builder', 'builder'], { planner: 1, builder: 1 }]);
  });

  it('an interrupted turn does not count: the hat runs again', () => {
    const run = team(1);
    run.resume();
    expect([run.turn().hat, run.state().activationCounts]).toEqual(['builder', { planner: 1, builder: 1 }]);
    run.end([write('build.done')]);
    run.end([write('build.start', 2)]);
    expect(run.turn().hat).toBe('ralph');
  });

  it('a second chance counts: an exhausted hat has none, and Ralph gets its events', () => {
    const run = team(1);
    run.end([write('gossip')]);
    expect(run.turn()).toMatchObject({ hat: 'ralph', fallback: 'exhausted', events: [{ topic: 'build.start', payload: 1 }] });
    expect(published(run).at(-1)).toBe('builder.exhausted >');
  });

  it('of a recovery hat sends the fallback to Ralph', () => {
    const run = play({ hats: [makeHat('planner', ['task.start', 'task.resume'], [], { maxActivations: 1 }), makeHat('other', ['x'])] });
    run.end();
    expect([ran(run), given(run)]).toEqual([['planner', 'ralph'], ['task.resume']]);
  });

  it('under fan-out only the exhausted hat is passed over', () => {
    const hats = [makeHat('a', ['task.start', 'go'], ['go'], { maxActivations: 1 }), makeHat('b', ['go'], [])];
    const run = play({ hats, routing: 'fanout' });
    run.end([write('go', 'x')]);
    expect([published(run).slice(1), run.turn().hat, given(run)]).toEqual([['go > a, b', 'a.exhausted >'], 'ralph', ['go']]);
    run.end();
    expect([run.turn().hat, given(run)]).toEqual(['b', ['go']]);
  });

  it('who stands in for two exhausted hats gets an event that both were owed once', () => {
    const hats = [
      makeHat('a', ['task.start', 'go'], ['go'], { maxActivations: 1 }),
      makeHat('b', ['task.start', 'go'], ['go'], { maxActivations: 1 }),
    ];
    const run = play({ hats, routing: 'fanout' });
    run.end();
    run.end([write('go', 'x')]);
    expect([ran(run), given(run)]).toEqual([['a', 'b', 'ralph'], ['go']]);
    run.end();
    expect(given(run)).toEqual(['task.resume']);
  });

  it('lowered by a resume holds for a turn that was planned', () => {
    const run = team(2);
    run.end([write('build.done')]);
    run.end([write('build.start', 2)]);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.interrupt();
    expect(ending(run)).toBe('interrupted');
    run.resume(changed({ hats: [PLANNER, makeHat('builder', ['build.start'], ['build.done'], { maxActivations: 1 })] }));
    expect(run.turn()).toMatchObject({ hat: 'ralph', events: [{ payload: 2 }] });
  });
});
