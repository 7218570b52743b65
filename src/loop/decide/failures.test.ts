import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { ending, given, notices, type Play, play, published, ran, write } from './decide-fixtures.ts';

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.start']);
const BUILDER = makeHat('builder', ['build.start'], ['build.done']);
const DEBUGGER = makeHat('debugger', ['error.*'], ['build.done']);

/** A team that coordinates itself; its builder runs. */
function building(parts: Parameters<typeof play>[0] = {}): Play {
  const run = play({ hats: [PLANNER, BUILDER], ...parts });
  run.end([write('build.start', 'the roof')]);
  return run;
}

describe('a turn that fails', () => {
  it.each([
    ['a non-zero exit', 'agent', 'error.cli'],
    ['a program that cannot be started', 'spawn', 'error.cli'],
    ['the time limit of a turn', 'timeout', 'error.timeout'],
    ['silence for too long', 'idle-timeout', 'error.timeout'],
  ] as const)('by %s (%s) publishes `%s`, which Ralph deals with', (_name, failure, topic) => {
    const run = building();
    run.fail({ class: failure, message: 'exit code 3' });
    expect(run.last('event-publish')).toMatchObject({ event: { topic, source: 'system' }, to: ['ralph'], how: 'safety-net' });
    expect([run.turn().hat, run.turn().fallback, given(run), notices(run)]).toEqual(['ralph', 'untaken', [topic], ['untaken-event']]);
  });

  it('carries the events that the hat had been given, so that none is lost', () => {
    const run = building();
    run.fail({ class: 'agent', message: 'exit code 3' });
    expect(run.turn().events[0]?.payload).toEqual({
      hat: 'builder',
      class: 'agent',
      message: 'exit code 3',
      events: [{ id: 'e2', topic: 'build.start', payload: 'the roof' }],
    });
  });

  it('is dealt with by a subscriber where there is one', () => {
    const run = building({ hats: [PLANNER, BUILDER, DEBUGGER] });
    run.fail();
    expect([published(run).at(-1), ran(run).at(-1), notices(run)]).toEqual(['error.cli > debugger', 'debugger', []]);
  });

  it('after a row of failures still carries the first events, and does not nest them', () => {
    const run = building({ hats: [PLANNER, BUILDER, DEBUGGER] });
    run.fail();
    run.fail({ class: 'timeout', message: 'too slow' });
    run.fail({ message: 'again' });
    expect(run.turn().events.map((event) => [event.topic, event.payload])).toEqual([
      [
        'error.cli',
        { hat: 'debugger', class: 'agent', message: 'again', events: [{ id: 'e2', topic: 'build.start', payload: 'the roof' }] },
      ],
    ]);
  });

  it('carries an error that an agent published as the event that it is', () => {
    const hats = [makeHat('planner', ['task.start'], ['error.cli']), DEBUGGER];
    const run = play({ hats });
    run.end([write('error.cli', { events: ['mine'] })]);
    run.fail();
    expect(run.turn().events[0]?.payload).toMatchObject({ events: [{ id: 'e2', topic: 'error.cli', payload: { events: ['mine'] } }] });
  });

  it('that emitted events has them routed, and publishes no error', () => {
    const run = building();
    run.fail({}, [write('build.done')]);
    expect([published(run).at(-1), run.turn().hat]).toEqual(['build.done > planner', 'planner']);
  });

  it('in solo is given to Ralph again, with the error', () => {
    const run = play();
    run.fail();
    expect([ran(run), given(run), run.turn().fallback]).toEqual([['ralph', 'ralph'], ['error.cli'], null]);
  });

  it('in mode: single is given to the default hat again', () => {
    const run = play({ mode: 'single' });
    run.fail({ class: 'timeout' });
    expect([ran(run), given(run)]).toEqual([['default', 'default'], ['error.timeout']]);
  });

  it('a turn with exit 0 and no output is a success', () => {
    const run = play();
    run.fail();
    run.end([], { producedOutput: false, exitCode: 0 });
    expect(run.state()).toMatchObject({ consecutiveFailures: 0, turnsSucceeded: 1, turnsFailed: 1 });
  });
});

describe('max_consecutive_failures', () => {
  it('when 5 iterations fail in a row (non-zero exit) the loop terminates with failure limit reason', () => {
    const run = play({ limits: { maxConsecutiveFailures: 5 } });
    for (let count = 0; count < 4; count += 1) run.fail({ message: `exit code ${count}` });
    expect(ending(run)).toBeNull();
    run.fail({ message: 'exit code 4' });
    expect(run.last('run-end')).toEqual({
      type: 'run-end',
      reason: 'consecutive_failures',
      detail: '5 turns in a row failed; the last one: exit code 4',
    });
  });

  it('a turn that succeeds begins the count anew', () => {
    const run = play({ limits: { maxConsecutiveFailures: 2 } });
    run.fail();
    run.end();
    run.fail();
    expect(ending(run)).toBeNull();
    run.fail();
    expect(ending(run)).toBe('consecutive_failures');
  });

  it('a turn that failed counts although it emitted events', () => {
    const run = play({ hats: [BUILDER], limits: { maxConsecutiveFailures: 1 } });
    run.fail({}, [write('build.start')]);
    expect([ending(run), published(run).at(-1)]).toEqual(['consecutive_failures', 'build.start > builder']);
  });

  it('a resumed run begins the count anew, and what was pending is not lost', () => {
    const run = building({ limits: { maxConsecutiveFailures: 1 } });
    run.fail();
    expect(ending(run)).toBe('consecutive_failures');
    run.resume();
    expect([run.turn().hat, given(run)]).toEqual(['ralph', ['error.cli']]);
  });

  it('an interrupted turn is no failure', () => {
    const run = play({ limits: { maxConsecutiveFailures: 1 } });
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.interrupt();
    expect(run.state()).toMatchObject({ consecutiveFailures: 0, turnsFailed: 0 });
  });
});

describe('an agent that cannot work, whatever is tried again', () => {
  const pair = (backends: readonly string[]): Play => play({ hats: [PLANNER, { ...BUILDER, backends }] });

  it.each(['auth', 'request', 'spawn'] as const)(
    '(%s) is replaced by the next backend of its hat, in the same iteration, with a notice',
    (kind) => {
      const run = pair(['codex', 'claude']);
      run.end([write('build.start', 'the roof')]);
      run.fail({ class: kind, message: 'no way.' });
      expect([run.turn().hat, run.turn().iteration, run.turn().attempt, run.turn().backend, given(run)]).toEqual([
        'builder',
        2,
        2,
        1,
        ['build.start'],
      ]);
      expect(run.last('notice')).toMatchObject({ code: 'backend-replaced', text: 'no way. builder goes on with claude.' });
      expect(run.state().consecutiveFailures).toBe(0);
    },
  );

  it.each([
    ['auth', '`claude /login`'],
    ['request', '`cli.model`'],
  ] as const)(
    '(%s) ends the run as parked where no other is left, with what the person can do; a resume tries the first again',
    (kind, help) => {
      const run = pair(['codex', 'claude']);
      run.end([write('build.start')]);
      run.fail({ class: 'spawn', message: 'not there.' });
      run.fail({ class: kind, message: 'refused' });
      expect(run.last('run-end')).toMatchObject({
        reason: 'parked',
        detail: expect.stringContaining('refused'),
        attention: expect.stringContaining(help),
      });
      run.resume();
      expect([run.turn().hat, run.turn().backend, run.turn().attempt, given(run)]).toEqual(['builder', 0, 3, ['build.start']]);
    },
  );

  it('whose events arrived before it failed has them routed', () => {
    const run = pair(['codex', 'claude']);
    run.end([write('build.start')]);
    run.fail({ class: 'auth' }, [write('build.done')]);
    expect([ending(run), run.turn().hat]).toEqual([null, 'planner']);
  });

  it('a program that is not there and has no successor fails its turn, so that another hat may go on', () => {
    const run = building();
    run.fail({ class: 'spawn', message: 'not there' });
    expect([ending(run), published(run).at(-1)]).toEqual([null, 'error.cli > ralph']);
  });

  it('is Ralph himself, whose program is not there: nobody is left who could go on, so the run is parked at once', () => {
    const run = building();
    run.fail({ class: 'spawn', message: 'not there', isMissing: true });
    expect([ending(run), published(run).at(-1)]).toEqual([null, 'error.cli > ralph']);
    run.fail({ class: 'spawn', message: 'No agent CLI was found in PATH.', isMissing: true });
    expect(run.last('run-end')).toMatchObject({
      reason: 'parked',
      detail: expect.stringContaining('No agent CLI was found in PATH'),
      attention: expect.stringContaining('`cli.backend`'),
    });
  });
});
