import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { ending, given, type Play, PROMISE, play, published, ran, write } from './decide-fixtures.ts';

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.start', 'gossip']);
const BUILDER = makeHat('builder', ['build.start'], ['build.done']);
const IDLE = { treeChanged: false };

/** Ends turns without a word or a change until the run ends or so many are over; returns how many it took. */
function idle(run: Play, most = 10): number {
  let count = 0;
  for (; count < most && ending(run) === null; count += 1) run.end([], IDLE);
  return count;
}

describe('an empty queue', () => {
  it('under ralph Ralph is called with task.resume', () => {
    const run = play({ hats: [BUILDER] });
    run.end([write('build.start')]);
    run.end();
    expect(run.last('event-publish')).toMatchObject({ event: { topic: 'task.resume', source: 'system' }, to: ['ralph'], how: 'fallback' });
    expect(run.turn()).toMatchObject({ hat: 'ralph', fallback: 'empty-queue' });
  });

  it('under hats the recovery hat is called with task.resume', () => {
    const run = play({ hats: [makeHat('a', ['task.start'], []), makeHat('b', ['task.resume'], [])] });
    run.end();
    expect([published(run), run.turn().hat, run.turn().fallback]).toEqual([['task.start > a', 'task.resume > b'], 'b', 'empty-queue']);
  });

  it('under hats the named recovery hat is called', () => {
    const run = play({ hats: [PLANNER, BUILDER], recoveryHat: 'builder' });
    run.end();
    expect(published(run).at(-1)).toBe('task.resume > builder');
  });

  it('an event that asks for a turn makes it no fallback turn, although others are there by chance', () => {
    const run = play({ hats: [PLANNER, BUILDER] });
    run.end([write('gossip'), write('build.start', '', 'ralph')]);
    expect([run.turn().hat, given(run), run.turn().fallback]).toEqual(['ralph', ['gossip', 'build.start'], null]);
  });
});

describe('a hat that ended well and published nothing', () => {
  const FINAL = { treeChanged: false, finalText: 'done!' };
  const silentOf = (run: Play) => run.turn().feedback.filter((note) => note.kind === 'silent');

  it('the next fallback turn is told its name, its events, what it may publish and its last words', () => {
    const run = play({ hats: [BUILDER] });
    run.end([write('build.start', 'fix bug 4711')]);
    run.end([], FINAL);
    expect([run.turn().hat, run.turn().fallback]).toEqual(['ralph', 'empty-queue']);
    expect(silentOf(run)).toEqual([
      {
        kind: 'silent',
        hat: 'builder',
        iteration: 2,
        events: [{ id: 'e2', topic: 'build.start', payload: 'fix bug 4711' }],
        allowed: ['build.done'],
        words: 'done!',
      },
    ]);
  });

  it('is told to the recovery hat, and by it to itself where it says nothing to a task of its own', () => {
    const run = play({ hats: [PLANNER, BUILDER] });
    run.end([write('build.start', 'x')]);
    run.end([write('build.done', 'built')]);
    run.end([], FINAL);
    expect(silentOf(run)).toMatchObject([{ hat: 'planner', events: [{ topic: 'build.done', payload: 'built' }] }]);
  });

  it('is told again where the fallback turn comes to nothing itself, and not after it worked', () => {
    const run = play({ hats: [BUILDER] });
    run.end([write('build.start', 'fix bug 4711')]);
    run.end([], FINAL);
    run.end([], FINAL);
    expect(silentOf(run)).toMatchObject([{ hat: 'builder' }]);
    run.end([], { ...FINAL, treeChanged: true });
    expect(silentOf(run)).toEqual([]);
  });

  it('keeps no more of payloads and words than a prompt can show', () => {
    const run = play({ hats: [BUILDER] });
    run.end([write('build.start', 'x'.repeat(9000))]);
    run.end([], { ...FINAL, finalText: `${'y'.repeat(9000)}end` });
    expect(silentOf(run)).toMatchObject([{ events: [{ payload: 'x'.repeat(2000) }], words: expect.stringMatching(/^y{1997}end$/) }]);
  });

  it.each([
    ['an event', [write('build.done')], FINAL],
    ['an event that was refused', [write('nope')], FINAL],
  ])('is not told of a turn with %s', (_name, signals, report) => {
    const run = play({ hats: [BUILDER] });
    run.end([write('build.start')]);
    run.end(signals, report);
    run.end(signals, report);
    run.end([], report);
    expect(run.all('iteration-start').flatMap((start) => start.feedback)).not.toContainEqual(
      expect.objectContaining({ kind: 'silent', hat: 'builder' }),
    );
  });

  it('is told to nobody in solo', () => {
    const run = play();
    run.end([], FINAL);
    expect(silentOf(run)).toEqual([]);
  });
});

describe('what was almost said', () => {
  const PROMISED = { missed: [{ topic: null, line: 'So: `LOOP_COMPLETE`' }] };

  it('a promise that does not count is told to people and to the next turn', () => {
    const run = play();
    run.end([], PROMISED);
    expect(run.turn().feedback).toEqual([{ kind: 'missed', topic: null, line: 'So: `LOOP_COMPLETE`' }]);
    expect(run.last('notice')).toMatchObject({
      level: 'warning',
      code: 'missed-signal',
      text: expect.stringMatching(/does not count: .*It counts as LOOP_COMPLETE on a line of its own, with nothing around it\.$/),
    });
  });

  it('an event that was almost written is told to the hat that may publish it', () => {
    const run = play({ hats: [BUILDER] });
    const missed = ['build.done', 'build.start'].map((topic) => ({ topic, line: `EVENT: ${topic} now` }));
    run.end([write('build.start')]);
    run.end([], { missed });
    expect(run.state().feedback['builder']).toEqual([{ kind: 'missed', ...missed[0] }]);
  });

  it.each([
    ['from a turn that published', [write('build.start')], PROMISED],
    ['from a turn that ended the run', [PROMISE], PROMISED],
  ])('nothing is told %s', (_name, signals, report) => {
    const run = play({ hats: [BUILDER] });
    run.end(signals, report);
    expect(run.all('notice').map((notice) => notice.code)).not.toContain('missed-signal');
  });

  it('a hat that may not end the run only speaks of the promise', () => {
    const run = play({ hats: [BUILDER] });
    run.end([write('build.start')]);
    run.end([], PROMISED);
    expect(run.all('notice').map((notice) => notice.code)).not.toContain('missed-signal');
  });
});

describe('takes', () => {
  const build = (takes?: 'one'): Play => {
    const run = play({ hats: [makeHat('builder', ['build.start'], ['build.done'], takes === undefined ? {} : { takes })] });
    run.end([write('build.start', 'A'), write('build.start', 'B')]);
    return run;
  };

  it('one hands over the waiting events one at a time, in order', () => {
    const run = build('one');
    expect(run.turn().events.map((event) => event.payload)).toEqual(['A']);
    run.end([write('build.done', 'A')]);
    expect([run.turn().hat, run.turn().events.map((event) => event.payload)]).toEqual(['builder', ['B']]);
  });

  it('all, the default, hands them over together', () => {
    expect(
      build()
        .turn()
        .events.map((event) => event.payload),
    ).toEqual(['A', 'B']);
  });
});

describe('stalled', () => {
  it('three fallback turns in a row with neither event, nor promise, nor a change of the working tree end the run', () => {
    const run = play({ hats: [BUILDER] });
    expect([idle(run), ran(run)]).toEqual([4, ['ralph', 'ralph', 'ralph', 'ralph']]);
    expect(run.last('run-end')).toEqual({
      type: 'run-end',
      reason: 'stalled',
      detail: '3 fallback turns in a row published nothing and changed no file',
    });
  });

  it('counts the turns of the recovery hat', () => {
    const run = play({ hats: [PLANNER, BUILDER] });
    expect([idle(run), ending(run)]).toEqual([4, 'stalled']);
  });

  it('counts turns of Ralph as the safety net', () => {
    const run = play({ hats: [PLANNER, BUILDER] });
    run.end([write('gossip')]);
    expect([idle(run), ran(run)]).toEqual([3, ['planner', 'ralph', 'planner', 'planner']]);
  });

  it.each([
    ['an event', [write('build.start')], { treeChanged: false }],
    ['a promise that was refused', [PROMISE], { treeChanged: false }],
    ['a completion that was refused, as an event', [write('task.complete')], { treeChanged: false }],
    ['a change of the working tree', [], { treeChanged: true }],
    ['a tree that nobody could look at', [], { treeChanged: null }],
  ])('%s begins the count anew', (_name, signals, report) => {
    const run = play({ hats: [BUILDER], requiredEvents: ['never.comes'] });
    run.end([], IDLE);
    run.end([], IDLE);
    run.end([], IDLE);
    run.end(signals, report);
    expect([ending(run), run.state().idleFallbacks]).toEqual([null, 0]);
  });

  it('a turn of another hat begins the count anew', () => {
    const run = play({ hats: [PLANNER, BUILDER] });
    run.end([], IDLE);
    run.end([], IDLE);
    run.end([write('build.start')], IDLE);
    run.end([], IDLE);
    expect(idle(run)).toBe(3);
  });

  it('a turn that failed neither counts nor begins the count anew', () => {
    const run = play({ hats: [BUILDER] });
    run.end([], IDLE);
    run.end([], IDLE);
    run.fail();
    expect(run.state().idleFallbacks).toBe(1);
    expect(idle(run)).toBe(2);
  });

  it('never in solo and single', () => {
    const solo = play({ limits: { maxIterations: 20 } });
    const single = play({ mode: 'single', limits: { maxIterations: 20 } });
    expect([idle(solo, 30), ending(solo), idle(single, 30), ending(single)]).toEqual([20, 'max_iterations', 20, 'max_iterations']);
  });

  it('a resumed run begins the count anew', () => {
    const run = play({ hats: [BUILDER] });
    idle(run);
    run.resume();
    expect([given(run), run.turn().fallback, idle(run)]).toEqual([['task.resume'], 'empty-queue', 3]);
  });
});
