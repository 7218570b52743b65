import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { BEGIN, ending, given, notices, type Play, play, published, ran, write } from './decide-fixtures.ts';

const HOUR = 3_600_000;
const RETRY = { maxAttempts: 3, baseMs: 1000, maxMs: 60_000 };

function attempts(run: Play): readonly string[] {
  return run.all('iteration-start').map((start) => `${start.iteration}.${start.attempt}`);
}

function waits(run: Play): readonly (readonly [string, number])[] {
  return run.all('timer-set').map((timer) => [timer.purpose, timer.dueAt] as const);
}

describe('a transient error', () => {
  it('is retried in the same iteration after a while, with the same events', () => {
    const run = play({ retry: RETRY });
    run.fail({ class: 'transient', message: 'overloaded' });
    expect([attempts(run), waits(run).at(-1)]).toEqual([['1.1'], ['retry', BEGIN + 1000]]);
    run.ring();
    expect([attempts(run), given(run)]).toEqual([['1.1', '1.2'], ['task.start']]);
  });

  it('goes on after a resume for what is left of its pause, and never longer, whatever the clock of the machine that goes on says', () => {
    const run = play({ retry: RETRY });
    run.fail({ class: 'transient', message: 'overloaded' });
    run.pass(400);
    run.resume();
    expect(waits(run).at(-1)).toEqual(['retry', BEGIN + 1000]);
    run.pass(-HOUR);
    run.resume();
    expect(waits(run).at(-1)).toEqual(['retry', BEGIN + 1000 - HOUR]);
    run.ring();
    expect(attempts(run)).toEqual(['1.1', '1.2']);
  });

  it('that the agent itself tried again as often as it may fails the turn at once', () => {
    const run = play({ retry: RETRY });
    run.fail({ class: 'transient', message: 'overloaded', wasRetried: true });
    expect([attempts(run), run.state().consecutiveFailures]).toEqual([['1.1', '2.1'], 1]);
  });

  it('waits with exponential backoff, up to a limit', () => {
    const run = play({ retry: { maxAttempts: 9, baseMs: 1000, maxMs: 5000 } });
    const waited = [1, 2, 3, 4, 5].map(() => {
      const before = run.now();
      run.fail({ class: 'transient' });
      run.ring();
      return run.now() - before;
    });
    expect(waited).toEqual([1000, 2000, 4000, 5000, 5000]);
  });

  it('is told with a visible countdown', () => {
    const run = play({ retry: RETRY });
    run.fail({ class: 'transient', message: 'overloaded' });
    expect(run.last('notice')).toEqual({
      type: 'notice',
      level: 'warning',
      code: 'transient-error',
      text: 'overloaded: attempt 2 of 3 in 1.0 s.',
    });
  });

  it('is not counted as a failure of the work, and counts no iteration', () => {
    const run = play({ retry: RETRY, limits: { maxIterations: 1, maxConsecutiveFailures: 1 } });
    run.fail({ class: 'transient' });
    run.ring();
    run.fail({ class: 'transient' });
    run.ring();
    expect([ending(run), run.state().counters.counted, run.state().consecutiveFailures]).toEqual([null, 0, 0]);
    run.end();
    expect([ending(run), run.state().counters.counted]).toEqual(['max_iterations', 1]);
  });

  it('is a failure like any other when all attempts are used', () => {
    const run = play({ retry: RETRY });
    for (let count = 0; count < 3; count += 1) {
      run.fail({ class: 'transient', message: 'overloaded' });
      if (count < 2) run.ring();
    }
    expect([attempts(run), given(run), run.state().consecutiveFailures]).toEqual([['1.1', '1.2', '1.3', '2.1'], ['error.cli'], 1]);
  });

  it('of a turn that has already emitted events is no reason to do it again', () => {
    const run = play({ hats: [makeHat('builder', ['build.start'])], retry: RETRY });
    run.fail({ class: 'transient' }, [write('build.start')]);
    expect([ran(run), attempts(run), run.state().consecutiveFailures]).toEqual([['ralph', 'builder'], ['1.1', '2.1'], 0]);
  });

  it('cost of every attempt is added up', () => {
    const run = play({ retry: RETRY });
    run.end([], {
      outcome: { status: 'failed', failure: { class: 'transient', message: '' } },
      usage: { ...run.state().usage, costUsd: 0.25 },
    });
    run.ring();
    run.end([], { usage: { ...run.state().usage, costUsd: 0.5 } });
    expect(run.state().usage.costUsd).toBe(0.75);
  });

  it('does not hold up a stop: the attempt is made after the resume, when its time has come', () => {
    const run = play({ retry: RETRY });
    run.fail({ class: 'transient' });
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    expect(ending(run)).toBe('interrupted');
    run.pass(400);
    run.resume();
    expect([attempts(run), waits(run).at(-1)]).toEqual([['1.1'], ['retry', BEGIN + 1000]]);
    run.ring();
    expect(attempts(run)).toEqual(['1.1', '1.2']);
  });

  it('after a resume is retried at once, when its time has passed', () => {
    const run = play({ retry: RETRY });
    run.fail({ class: 'transient' });
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.pass(HOUR);
    run.resume();
    expect([attempts(run), given(run)]).toEqual([['1.1', '1.2'], ['task.start']]);
  });

  it('that comes while the run is to stop leaves the attempt for the resume', () => {
    const run = play({ retry: RETRY });
    run.post({ type: 'stop-requested', how: 'after-iteration', by: 'ralph stop' });
    run.fail({ class: 'transient' });
    expect([ending(run), run.state().plans.length]).toEqual(['interrupted', 1]);
  });

  it('an event from outside does not shorten the wait', () => {
    const run = play({ retry: RETRY });
    run.fail({ class: 'transient' });
    run.post({ type: 'events-received', signals: [write('hurry')], problems: [], inboxOffset: 1 });
    expect(attempts(run)).toEqual(['1.1']);
    run.ring();
    expect(given(run)).toEqual(['task.start', 'hurry']);
  });
});

describe('a usage limit with on_limit: wait', () => {
  it('parks the run until the reset that was announced, and goes on by itself', () => {
    const run = play();
    run.fail({ class: 'limit', message: 'weekly limit reached', resetAt: BEGIN + HOUR });
    expect(run.state()).toMatchObject({ status: 'parked', runningSince: null });
    expect([waits(run).at(-1), attempts(run)]).toEqual([['limit', BEGIN + HOUR + 5000], ['1.1']]);
    expect(run.last('notice').text).toBe(
      'weekly limit reached (resets in 1 h 00 min). The run is parked; it goes on by itself in 1 h 00 min.',
    );
    run.ring();
    expect([run.state().status, attempts(run), given(run)]).toEqual(['running', ['1.1', '1.2'], ['task.start']]);
  });

  it('counts no iteration and no failure', () => {
    const run = play({ limits: { maxIterations: 1, maxConsecutiveFailures: 1 } });
    run.fail({ class: 'limit', resetAt: BEGIN + HOUR });
    run.ring();
    expect([ending(run), run.state().counters.counted]).toEqual([null, 0]);
  });

  it('waits a quarter of an hour where nobody knows the reset', () => {
    const run = play();
    run.fail({ class: 'limit', message: 'limit' });
    expect(waits(run).at(-1)).toEqual(['limit', BEGIN + 900_000]);
  });

  it('waits ever longer where the announced reset is over each time, so that a wrong clock does not make a busy loop', () => {
    const run = play();
    const waited = Array.from({ length: 10 }, () => {
      const before = run.now();
      run.fail({ class: 'limit', resetAt: BEGIN - HOUR });
      run.ring();
      return run.now() - before;
    });
    expect(waited).toEqual([5000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 900_000, 900_000]);
  });

  it('the clock of the running time stands while the run is parked', () => {
    const run = play({ limits: { maxRuntimeMs: HOUR } });
    run.pass(1000);
    run.fail({ class: 'limit', resetAt: run.now() + 10 * HOUR });
    run.ring();
    expect([ending(run), run.state().elapsedMs, waits(run).at(-1)]).toEqual([null, 1000, ['runtime', run.now() + HOUR - 1000]]);
  });

  it('what comes from outside while the run is parked waits with it', () => {
    const run = play();
    run.fail({ class: 'limit', resetAt: BEGIN + HOUR });
    run.post({ type: 'events-received', signals: [write('hurry')], problems: [], inboxOffset: 5 });
    expect([attempts(run), run.state().status, published(run).at(-1)]).toEqual([['1.1'], 'parked', 'hurry > ralph']);
  });

  it('can be left parked', () => {
    const run = play();
    run.fail({ class: 'limit', resetAt: BEGIN + HOUR });
    run.post({ type: 'stop-requested', how: 'after-iteration', by: 'ralph stop' });
    expect(run.last('run-end')).toMatchObject({ reason: 'parked', detail: 'stopped by ralph stop' });
  });

  it('a person who stops it by Ctrl+C has interrupted it', () => {
    const run = play();
    run.fail({ class: 'limit', resetAt: BEGIN + HOUR });
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    expect(ending(run)).toBe('interrupted');
  });

  it('left parked and resumed before the reset, it is tried at once, and parks again', () => {
    const run = play();
    run.fail({ class: 'limit', resetAt: BEGIN + HOUR });
    run.post({ type: 'stop-requested', how: 'after-iteration', by: 'ralph stop' });
    run.pass(60_000);
    run.resume();
    expect([attempts(run), given(run)]).toEqual([['1.1', '1.2'], ['task.start']]);
    run.fail({ class: 'limit', resetAt: BEGIN + HOUR });
    expect([run.state().status, waits(run).at(-1)]).toEqual(['parked', ['limit', BEGIN + HOUR + 5000]]);
    expect(run.state().timers.map((timer) => timer.purpose)).toEqual(['limit']);
  });

  it('a run that was to stop does not park: it stops', () => {
    const run = play();
    run.post({ type: 'stop-requested', how: 'after-iteration', by: 'ralph stop' });
    run.fail({ class: 'limit', resetAt: BEGIN + HOUR });
    expect([ending(run), run.state().plans.length]).toEqual(['interrupted', 1]);
  });

  it('a parked run whose folder vanishes ends', () => {
    const run = play();
    run.fail({ class: 'limit' });
    run.post({ type: 'environment-failed', what: 'workspace', message: 'gone' });
    expect(ending(run)).toBe('workspace_gone');
  });
});

describe('a usage limit with on_limit: stop', () => {
  it('ends the run as parked; resumed, the same iteration gets another attempt', () => {
    const run = play({ onLimit: 'stop' });
    run.fail({ class: 'limit', message: 'limit reached', resetAt: BEGIN + HOUR });
    expect(run.last('run-end')).toEqual({ type: 'run-end', reason: 'parked', detail: 'limit reached (resets in 1 h 00 min)' });
    run.resume();
    expect([attempts(run), given(run)]).toEqual([['1.1', '1.2'], ['task.start']]);
  });
});

describe('a usage limit with on_limit: switch', () => {
  const parts = {
    onLimit: 'switch' as const,
    hats: [makeHat('a', ['task.start', 'task.resume'], [], { backends: ['claude', 'codex', 'gemini'] })],
  };

  it('goes on at once with the next backend of the hat’s list, and stays with it', () => {
    const run = play(parts);
    run.fail({ class: 'limit' });
    run.end();
    expect(run.all('iteration-start').map((start) => [start.iteration, start.attempt, start.backend])).toEqual([
      [1, 1, 0],
      [1, 2, 1],
      [2, 1, 1],
    ]);
    expect(run.all('notice').map((notice) => notice.text)).toEqual(['The usage limit is reached; a goes on with codex.']);
  });

  it('parks when the list is used up, and begins it anew after the reset', () => {
    const run = play(parts);
    for (let count = 0; count < 3; count += 1) run.fail({ class: 'limit', resetAt: BEGIN + HOUR });
    expect([run.state().status, notices(run)]).toEqual(['parked', ['usage-limit', 'usage-limit', 'usage-limit']]);
    run.ring();
    expect(run.turn()).toMatchObject({ iteration: 1, attempt: 4, backend: 0 });
  });

  it('switches Ralph’s own backends too', () => {
    const run = play({ onLimit: 'switch', ralph: { instructions: '', backends: ['claude', 'codex'], timeoutMs: 1, idleTimeoutMs: 1 } });
    run.fail({ class: 'limit' });
    expect(run.turn()).toMatchObject({ hat: 'ralph', backend: 1 });
  });
});
