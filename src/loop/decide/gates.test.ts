import { describe, expect, it } from 'vitest';
import { makeGate, makeHat } from '../../core/spec-fixtures.ts';
import { changed, ending, given, makeResult, notices, type Play, PROMISE, play, published, ran, write } from './decide-fixtures.ts';

const BUILDER = makeHat('builder', ['build.start'], ['build.done', 'build.note']);
const REVIEWER = makeHat('reviewer', ['build.done', 'build.note'], ['review.done']);
const TESTS = makeGate(['task.complete'], 'npm test');
const LINT = makeGate(['build.*'], 'npm run lint');

/** A team that Ralph coordinates; its builder runs. */
function building(parts: Parameters<typeof play>[0] = {}): Play {
  const run = play({ hats: [BUILDER, REVIEWER], gates: [TESTS, LINT], ...parts });
  run.end([write('build.start')]);
  if (run.state().gateWaits.length > 0) run.judge(() => true);
  return run;
}

describe('a gate on completion', () => {
  it.each([
    ['the promise', PROMISE],
    ['the promise as an event', write('LOOP_COMPLETE')],
    ['task.complete', write('task.complete')],
  ])('is asked before %s ends the run, and nothing else happens meanwhile', (_name, signal) => {
    const run = play({ gates: [TESTS, LINT] });
    run.end([signal]);
    expect(run.all('gates-run')).toEqual([{ type: 'gates-run', request: 1, gates: [0, 1], topics: ['task.complete'] }]);
    expect([ending(run), ran(run)]).toEqual([null, ['ralph']]);
  });

  it.each(['task.complete', 'LOOP_COMPLETE', 'task.*', '*'])('is one when it guards %s', (pattern) => {
    const run = play({ gates: [makeGate([pattern])] });
    run.end([PROMISE]);
    expect(run.last('gates-run').gates).toEqual([0]);
  });

  it('is one also when it guards other topics besides', () => {
    const run = play({ gates: [makeGate(['build.done', 'LOOP_COMPLETE'])] });
    run.end([PROMISE]);
    expect(run.last('gates-run').gates).toEqual([0]);
  });

  it('that passes lets the run end', () => {
    const run = play({ gates: [TESTS] });
    run.end([PROMISE]);
    run.judge(() => true);
    expect([ending(run), published(run)]).toEqual(['completed', ['task.start > ralph', 'task.complete >']]);
  });

  it('that fails turns task.complete into task.blocked, with what it is blocked by, the original and the output', () => {
    const run = play({ gates: [TESTS] });
    run.end([write('task.complete', 'all green')]);
    run.judge(() => false);
    expect(run.last('event-publish').event).toMatchObject({
      topic: 'task.blocked',
      source: 'quality_gate',
      payload: {
        blocked_by: 'npm test',
        original: 'task.complete',
        payload: 'all green',
        published_by: 'ralph',
        gates: ['npm test'],
        output: [{ command: 'npm test', exit_code: 1, timed_out: false, tail: '2 failed' }],
      },
    });
    expect([ending(run), given(run), notices(run)]).toEqual([null, ['task.blocked'], ['gate-failed']]);
    expect(run.turn().feedback).toEqual([{ kind: 'gate-failed', topic: 'task.complete', results: [makeResult(0, false)] }]);
  });

  it('that gives no result has not passed', () => {
    const run = play({ gates: [TESTS] });
    run.end([PROMISE]);
    run.post({ type: 'gates-finished', request: 1, results: [] });
    expect(ending(run)).toBeNull();
    expect(run.turn().feedback).toMatchObject([
      { results: [{ gate: 0, command: 'npm test', passed: false, outputTail: 'The gate gave no result.' }] },
    ]);
  });

  it('all of several must pass', () => {
    const run = play({ gates: [TESTS, makeGate(['task.complete'], 'npm run lint')] });
    run.end([PROMISE]);
    run.judge((gate) => gate === 0);
    expect(run.last('event-publish').event.payload).toMatchObject({ blocked_by: 'npm test' });
  });

  it('a failing one sends the blocked event to the hat that takes it, and only to that', () => {
    const run = play({ hats: [BUILDER, makeHat('resolver', ['task.blocked'], [])], gates: [TESTS] });
    run.end([PROMISE]);
    run.judge(() => false);
    expect([run.turn().hat, run.state().feedback]).toEqual(['resolver', {}]);
  });

  it('a failing one hands the other events of the turn on', () => {
    const run = building();
    run.end([write('build.note')]);
    run.judge(() => true);
    run.end();
    run.end([PROMISE, write('build.start', 'more')]);
    run.judge(() => false);
    expect(published(run).slice(-1)).toEqual(['task.blocked > ralph']);
    expect(run.last('gates-run')).toMatchObject({ gates: [1], topics: ['build.start'] });
    run.judge(() => true);
    expect(published(run).slice(-2)).toEqual(['task.blocked > ralph', 'build.start > builder']);
  });

  it('the last allowed turn may be judged after it: a completion in it is a completion', () => {
    const run = play({ gates: [TESTS], limits: { maxIterations: 1 } });
    run.end([PROMISE]);
    run.judge(() => true);
    expect(ending(run)).toBe('completed');
  });

  it('that fails in the last allowed turn ends the run at its limit', () => {
    const run = play({ gates: [TESTS], limits: { maxIterations: 1 } });
    run.end([PROMISE]);
    run.judge(() => false);
    expect(ending(run)).toBe('max_iterations');
  });

  it('cost that is over the limit does not matter while it is judged', () => {
    const run = play({ gates: [TESTS], limits: { maxCostUsd: 1 } });
    run.end([PROMISE], { usage: { ...run.state().usage, costUsd: 2 } });
    run.judge(() => true);
    expect(ending(run)).toBe('completed');
  });

  it('refused as often as failures are allowed ends the run as gate_refused', () => {
    const run = play({ gates: [TESTS], limits: { maxConsecutiveFailures: 3 } });
    for (let count = 0; count < 3; count += 1) {
      run.end([PROMISE]);
      run.judge(() => false);
    }
    expect(run.last('run-end')).toMatchObject({
      reason: 'gate_refused',
      detail: 'completion was claimed 3 times in a row and refused by a gate each time',
    });
  });

  it('is not asked for a promise that does not count', () => {
    const run = building();
    run.end([PROMISE]);
    expect(run.all('gates-run')).toHaveLength(1);
  });
});

describe('a gate on a topic', () => {
  it('holds the events of the turn back until it has spoken', () => {
    const run = building();
    run.end([write('build.done', 'roof')]);
    expect([published(run), ran(run)]).toEqual([
      ['task.start > ralph', 'build.start > builder'],
      ['ralph', 'builder'],
    ]);
    run.judge(() => true);
    expect([published(run).at(-1), run.turn().hat]).toEqual(['build.done > reviewer', 'reviewer']);
  });

  it('that fails turns build.done into build.blocked, which goes back to its author with the output', () => {
    const run = building();
    run.end([write('build.done', 'roof')]);
    run.judge(() => false);
    expect(run.turn()).toMatchObject({
      hat: 'builder',
      events: [
        { topic: 'build.blocked', source: 'quality_gate', payload: { original: 'build.done', payload: 'roof', published_by: 'builder' } },
      ],
      feedback: [{ kind: 'gate-failed', topic: 'build.done', results: [{ gate: 1, passed: false }] }],
    });
  });

  it('holds back only what it guards; the order stays', () => {
    const run = building({ gates: [makeGate(['build.done'])] });
    run.end([write('build.note', 1), write('build.done'), write('build.note', 2)]);
    run.judge(() => false);
    expect(published(run).slice(2)).toEqual(['build.note > reviewer', 'build.blocked > builder', 'build.note > reviewer']);
  });

  it('an unguarded event waits for the guarded ones of its turn', () => {
    const run = building({ gates: [makeGate(['build.done'])] });
    run.end([write('build.note'), write('build.done')]);
    expect([published(run).length, run.state().gateWaits[0]?.drafts.length]).toEqual([2, 2]);
  });

  it('guards what people publish too; then the blocked event goes to Ralph', () => {
    const run = building();
    run.post({ type: 'events-received', signals: [write('build.start', 'please')], problems: [], inboxOffset: 1 });
    run.judge(() => false);
    run.end();
    expect([run.turn().hat, given(run), run.state().feedback]).toEqual(['ralph', ['build.blocked'], {}]);
  });

  it('guards defaults too', () => {
    const run = building({ hats: [makeHat('builder', ['build.start'], ['build.done'], { defaultPublishes: ['build.done'] }), REVIEWER] });
    run.end();
    expect([run.last('gates-run').topics, run.all('inbox-append')]).toEqual([['build.done'], []]);
    run.judge(() => true);
    expect([published(run).at(-1), run.all('inbox-append').length]).toEqual(['build.done > reviewer', 1]);
  });

  it('a blocked event is judged by no gate', () => {
    const run = building({ gates: [makeGate(['*'])] });
    run.end([write('build.done')]);
    run.judge(() => false);
    expect(published(run).at(-1)).toBe('build.blocked > builder');
  });

  it('an answer that nobody waits for, or that comes twice, changes nothing', () => {
    const run = building();
    run.end([write('build.done')]);
    expect(run.post({ type: 'gates-finished', request: 9, results: [] })).toEqual([]);
    run.judge(() => true);
    const before = published(run);
    expect([run.judge(() => true), published(run)]).toEqual([[], before]);
  });

  it('in solo the next turn begins with the blocked event', () => {
    const run = play({ gates: [makeGate(['build.done'])] });
    run.end([write('build.done')]);
    run.judge(() => false);
    expect([ran(run), given(run)]).toEqual([['ralph', 'ralph'], ['build.blocked']]);
  });

  it('in mode: single the default hat is given the blocked event and told', () => {
    const run = play({ mode: 'single', gates: [TESTS] });
    run.end([PROMISE]);
    run.judge(() => false);
    expect([run.turn().hat, given(run), run.turn().feedback.map((entry) => entry.kind)]).toEqual([
      'default',
      ['task.blocked'],
      ['gate-failed'],
    ]);
  });
});

describe('gates and the end', () => {
  it('a stop while gates run ends the run at once; resumed, they are asked again, and the completion is not lost', () => {
    const run = play({ gates: [TESTS] });
    run.end([PROMISE]);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    expect([ending(run), run.judge(() => true)]).toEqual(['interrupted', []]);
    run.resume();
    expect(run.all('gates-run')).toEqual([
      { type: 'gates-run', request: 1, gates: [0], topics: ['task.complete'] },
      { type: 'gates-run', request: 1, gates: [0], topics: ['task.complete'] },
    ]);
    run.judge(() => true);
    expect(ending(run)).toBe('completed');
  });

  it('events that wait for gates survive a stop as well', () => {
    const run = building();
    run.end([write('build.done')]);
    run.post({ type: 'stop-requested', how: 'terminate', by: 'SIGTERM' });
    run.resume();
    run.judge(() => true);
    expect([published(run).at(-1), run.turn().hat]).toEqual(['build.done > reviewer', 'reviewer']);
  });

  it('resumed with other gates, what waits is judged by those', () => {
    const run = play({ gates: [TESTS] });
    run.end([PROMISE]);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.resume(changed({ gates: [LINT, makeGate(['task.complete'], 'make check')] }));
    expect(run.last('gates-run')).toMatchObject({ request: 1, gates: [0, 1] });
    run.judge(() => true);
    expect(ending(run)).toBe('completed');
  });

  it('resumed without gates, what waits goes through', () => {
    const run = play({ gates: [TESTS] });
    run.end([PROMISE]);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.resume(changed({ gates: [] }));
    run.post({ type: 'gates-finished', request: 1, results: [] });
    expect(ending(run)).toBe('completed');
  });
});

describe('a gate that refuses the same claim again and again', () => {
  const LOOPING = {
    hats: [makeHat('builder', ['build.start', 'build.blocked'], ['build.done'])],
    gates: [makeGate(['build.done'], 'npm test')],
  };

  const claim = (run: Play, payload: string): void => {
    run.end([write('build.done', payload)]);
    run.judge(() => false);
  };

  it('with the same output goes to somebody else after three times; when it comes to that again, it is a loop', () => {
    const run = play(LOOPING);
    run.end([write('build.start')]);
    for (let turn = 0; turn < 3; turn += 1) claim(run, 'it works');
    expect([ending(run), run.turn().hat]).toEqual([null, 'ralph']);
    run.end([write('build.start')]);
    for (let turn = 0; turn < 3; turn += 1) claim(run, 'it works');
    expect(ending(run)).toBe('loop_detected');
  });

  it('for a new claim each time is none', () => {
    const run = play(LOOPING);
    run.end([write('build.start')]);
    for (let turn = 0; turn < 6; turn += 1) {
      run.end([write('build.done', `attempt ${turn}`)]);
      run.judge(() => false);
    }
    expect(ending(run)).toBeNull();
  });
});
