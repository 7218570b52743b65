import { describe, expect, it } from 'vitest';
import type { EventSignal } from '../../core/events/event.ts';
import { makeHat } from '../../core/spec-fixtures.ts';
import { notices, type Play, play, published, refused, write } from './decide-fixtures.ts';

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.start']);
const BUILDER = makeHat('builder', ['build.start'], ['build.done', 'build.note'], { defaultPublishes: ['build.done'] });
const WRONG = 'payload is string, not object';

const wrong = (signal: EventSignal): EventSignal => ({ ...signal, payloadProblem: WRONG });

/** A team whose builder runs. */
function team(): Play {
  const run = play({ hats: [PLANNER, BUILDER] });
  run.end([write('build.start', 'the roof')]);
  return run;
}

describe('an event whose payload its schema refuses', () => {
  it('is recorded with what is wrong, and not routed', () => {
    const run = team();
    run.end([wrong(write('build.done', 'yes'))]);
    expect(run.last('event-reject')).toEqual({
      type: 'event-reject',
      id: 'e3',
      iteration: 2,
      hat: 'builder',
      topic: 'build.done',
      why: 'payload',
      allowed: [],
      detail: WRONG,
    });
    expect([published(run).length, notices(run)]).toEqual([2, ['payload-refused']]);
  });

  it('if the turn emitted nothing else, the hat runs once more and reads what is wrong; no default is published for it', () => {
    const run = team();
    run.end([wrong(write('build.done', 'yes'))]);
    expect(run.turn()).toMatchObject({
      hat: 'builder',
      events: [{ topic: 'build.start', payload: 'the roof' }],
      feedback: [{ kind: 'payload-refused', topic: 'build.done', why: WRONG }],
    });
    run.end([wrong(write('build.done', 'yes'))]);
    expect(run.turn()).toMatchObject({
      hat: 'planner',
      fallback: 'refused-twice',
      feedback: [{ kind: 'refused-twice', hat: 'builder', topics: ['build.done'] }],
    });
  });

  it('beside another event is told in the next turn of the hat', () => {
    const run = team();
    run.end([wrong(write('build.note', 'x')), write('build.done', { files: 1 })]);
    expect(published(run).at(-1)).toBe('build.done > planner');
    run.end([write('build.start')]);
    expect(run.turn().feedback).toMatchObject([{ kind: 'payload-refused', topic: 'build.note' }]);
  });

  it('that would end the run does not end it', () => {
    const run = team();
    run.end([write('build.done')]);
    run.end([wrong(write('task.complete', 'all done'))]);
    expect([refused(run), run.state().status]).toEqual([['task.complete: payload'], 'running']);
  });

  it('is refused for its topic first, where the hat may not publish that either', () => {
    const run = team();
    run.end([wrong(write('deploy.start'))]);
    expect(refused(run)).toEqual(['deploy.start: scope']);
  });
});
