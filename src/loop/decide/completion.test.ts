import { describe, expect, it } from 'vitest';
import { makeGate, makeHat } from '../../core/spec-fixtures.ts';
import { ending, given, notices, type Play, PROMISE, play, published, ran, refused, say, write } from './decide-fixtures.ts';

const BUILDER = makeHat('builder', ['build.start'], ['build.done', 'build.note']);
const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.start']);
const FINISHER = makeHat('finisher', ['build.done'], ['LOOP_COMPLETE']);

/** A team that Ralph coordinates; its builder runs. */
function withRalph(parts: Parameters<typeof play>[0] = {}): Play {
  const run = play({ hats: [BUILDER], ...parts });
  run.end([write('build.start')]);
  return run;
}

/** A team that coordinates itself; its builder runs. */
function withPlanner(parts: Parameters<typeof play>[0] = {}): Play {
  const run = play({ hats: [PLANNER, BUILDER], ...parts });
  run.end([write('build.start')]);
  return run;
}

describe('the completion of a run', () => {
  it('`LOOP_COMPLETE` from Ralph terminates loop', () => {
    const run = play({ hats: [BUILDER] });
    run.end([PROMISE]);
    expect(run.last('run-end')).toEqual({ type: 'run-end', reason: 'completed', detail: 'ralph declared the work complete' });
    expect(run.last('event-publish')).toMatchObject({ event: { topic: 'task.complete', source: 'ralph' }, to: [], how: 'terminal' });
  });

  it('`LOOP_COMPLETE` from hat is ignored', () => {
    const run = withRalph();
    run.end([PROMISE, write('build.note')]);
    expect([ending(run), refused(run)]).toEqual([null, ['LOOP_COMPLETE: may-not-end']]);
    expect(ran(run)).toEqual(['ralph', 'builder', 'ralph']);
  });

  it.each([
    ['the promise in the final text', PROMISE],
    ['the promise as an event of the file', write('LOOP_COMPLETE', 'all green')],
    ['task.complete as an event of the file', write('task.complete', 'all green')],
    ['task.complete as a tag in the text', say('task.complete')],
  ])('%s is one and the same thing', (_name, signal) => {
    const run = play();
    run.end([signal]);
    expect([ending(run), published(run)]).toEqual(['completed', ['task.start > ralph', 'task.complete >']]);
  });

  it('keeps what was said with it', () => {
    const run = play();
    run.end([PROMISE, write('task.complete', { tests: 12 })].reverse());
    expect(run.last('event-publish').event.payload).toEqual({ tests: 12 });
    expect(published(run)).toEqual(['task.start > ralph', 'task.complete >']);
  });

  it('counts by the configured promise', () => {
    const run = play({ promise: 'ALL_DONE', hats: [BUILDER] });
    run.end([write('LOOP_COMPLETE')]);
    expect([ending(run), refused(run)]).toEqual([null, ['LOOP_COMPLETE: scope']]);
    run.end([write('ALL_DONE')]);
    expect(ending(run)).toBe('completed');
  });

  it('under ralph a hat that lists the promise in publishes may end the run', () => {
    const run = play({ hats: [BUILDER, FINISHER] });
    run.end([write('build.done')]);
    run.end([PROMISE]);
    expect(run.last('run-end')).toMatchObject({ reason: 'completed', detail: 'finisher declared the work complete' });
  });

  it('under hats the recovery hat may end the run, another one may not', () => {
    const run = withPlanner();
    run.end([PROMISE]);
    expect([ending(run), refused(run), run.turn().hat]).toEqual([null, ['LOOP_COMPLETE: may-not-end'], 'planner']);
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('under hats Ralph is a safety net and may not end the run', () => {
    const run = withPlanner();
    run.end([write('build.note')]);
    expect(run.turn().hat).toBe('ralph');
    run.end([PROMISE]);
    expect([ending(run), refused(run)]).toEqual([null, ['LOOP_COMPLETE: may-not-end']]);
  });

  it('a refused promise is told to its author once, whatever the number of its forms', () => {
    const run = withPlanner();
    run.end([write('LOOP_COMPLETE'), write('task.complete'), PROMISE, write('build.done')]);
    run.end([write('build.start')]);
    expect(refused(run)).toEqual(['LOOP_COMPLETE: may-not-end']);
    expect(run.turn().feedback).toEqual([{ kind: 'promise-refused', why: 'this hat may not end the run; hand on by an event instead' }]);
  });

  it('a promise in a failed turn is refused', () => {
    const run = play();
    run.fail({}, [PROMISE]);
    expect([ending(run), refused(run), given(run)]).toEqual([null, ['LOOP_COMPLETE: failed-turn'], ['error.cli']]);
    expect(run.turn().feedback).toEqual([
      { kind: 'promise-refused', why: 'your turn ended with a failure, so its promise does not count' },
    ]);
  });
});

describe('completion wins', () => {
  it('over other events of the same turn, which are recorded as undelivered', () => {
    const run = play({ hats: [BUILDER] });
    run.end([write('build.start', 1), PROMISE, write('build.start', 2)]);
    expect(run.all('event-publish').slice(1)).toMatchObject([
      { event: { topic: 'build.start', payload: 1 }, to: [], how: 'undelivered' },
      { event: { topic: 'build.start', payload: 2 }, to: [], how: 'undelivered' },
      { event: { topic: 'task.complete' }, to: [], how: 'terminal' },
    ]);
    expect([ending(run), ran(run)]).toEqual(['completed', ['ralph']]);
  });

  it('over events that are pending, which are listed', () => {
    const run = play({ hats: [BUILDER, FINISHER, makeHat('auditor', ['audit'])] });
    run.end([write('build.done'), write('audit'), write('build.start')]);
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
    expect(run.last('notice')).toEqual({
      type: 'notice',
      level: 'info',
      code: 'undelivered-events',
      text: 'Not delivered any more: audit (for auditor), build.start (for builder).',
    });
  });

  it('not over events from outside that wait for a gate', () => {
    const run = play({ hats: [BUILDER], gates: [makeGate(['build.start'])] });
    run.post({ type: 'events-received', signals: [write('build.start', 'from a person')], problems: [], inboxOffset: 9 });
    run.end([PROMISE]);
    run.judge(() => true);
    expect([ending(run), run.turn().hat, given(run)]).toEqual([null, 'builder', ['build.start']]);
  });

  it('over the limit of iterations: a completion in the last allowed turn is a completion', () => {
    const run = play({ limits: { maxIterations: 2 } });
    run.end();
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('over the limit of cost, reached in the completing turn', () => {
    const run = play({ limits: { maxCostUsd: 1 } });
    run.end([PROMISE], { usage: { ...run.state().usage, costUsd: 7 } });
    expect(ending(run)).toBe('completed');
  });

  it('over the limit of running time, reached in the completing turn', () => {
    const run = play({ limits: { maxRuntimeMs: 1000 } });
    run.pass(5000);
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('over a wish to stop that came too late', () => {
    const run = play();
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('over a refusal in the same turn', () => {
    const run = play({ hats: [BUILDER] });
    run.end([write('gossip'), PROMISE]);
    expect(ending(run)).toBe('completed');
  });
});

describe('required events', () => {
  const parts = { hats: [BUILDER, makeHat('reviewer', ['build.done'], ['review.done'])], requiredEvents: ['build.done', 'review.done'] };

  it('a completion before them is refused, told, and the run goes on', () => {
    const run = play(parts);
    run.end([PROMISE]);
    expect([ending(run), refused(run), notices(run)]).toEqual([null, ['task.complete: required-events'], ['required-events']]);
    expect(run.turn().feedback).toEqual([
      { kind: 'promise-refused', why: 'these events must have been published first: build.done, review.done' },
    ]);
  });

  it('a refused completion does not swallow the events of its turn', () => {
    const run = play(parts);
    run.end([PROMISE, write('build.start')]);
    expect([published(run).at(-1), run.turn().hat]).toEqual(['build.start > builder', 'builder']);
  });

  it('once they were published the completion counts', () => {
    const run = play(parts);
    run.end([write('build.start')]);
    run.end([write('build.done')]);
    run.end([write('review.done')]);
    expect(run.state().seenRequired).toEqual(['build.done', 'review.done']);
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('those of the completing turn itself count', () => {
    const run = play(parts);
    run.end([write('build.done'), write('review.done'), PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('those that were refused do not count', () => {
    const run = play({ ...parts, requiredEvents: ['review.done'] });
    run.end([write('build.start')]);
    run.end([write('review.done'), write('build.done')]);
    run.end();
    run.end([PROMISE]);
    expect([refused(run), ending(run)]).toEqual([['review.done: scope', 'task.complete: required-events'], null]);
  });

  it('one of the completing turn that a gate guards counts only if the gate lets it through', () => {
    const run = play({ ...parts, requiredEvents: ['build.done'], gates: [makeGate(['build.done'])] });
    run.end([write('build.done'), PROMISE]);
    expect([ending(run), run.last('gates-run').gates]).toEqual([null, [0]]);
    run.judge(() => true);
    expect(ending(run)).toBe('completed');
  });

  it('one that was published before is not judged again, nor is an event that nobody requires: only the gate is asked once more', () => {
    const run = play({ ...parts, requiredEvents: ['build.done'], gates: [makeGate(['build.*'])] });
    run.end([write('build.done')]);
    run.judge(() => true);
    run.end();
    run.end([write('build.done'), write('build.start'), PROMISE]);
    expect(run.last('gates-run')).toMatchObject({ gates: [0], topics: ['task.complete'] });
    run.judge(() => true);
    expect([ending(run), run.all('gates-run').length]).toEqual(['completed', 2]);
  });

  it('one that a gate turned into a blocked event does not count', () => {
    const run = play({ ...parts, requiredEvents: ['build.done'], gates: [makeGate(['build.done'])] });
    run.end([write('build.done')]);
    run.judge(() => false);
    run.end([PROMISE]);
    expect(refused(run)).toEqual(['task.complete: required-events']);
  });
});
