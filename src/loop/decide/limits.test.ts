import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { BEGIN, cost, ending, given, PROMISE, play, ran, write } from './decide-fixtures.ts';

const HOUR = 3_600_000;
const spentSoFar = (costUsd: number) => ({ usage: { ...UNKNOWN, costUsd } });
const UNKNOWN = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null };

describe('max_iterations', () => {
  it('when the limit is exceeded the loop terminates with timeout reason', () => {
    const run = play({ limits: { maxIterations: 3 } });
    run.end();
    run.end();
    expect(ending(run)).toBeNull();
    run.end();
    expect(run.last('run-end')).toEqual({ type: 'run-end', reason: 'max_iterations', detail: '3 of 3 iterations are used' });
    expect(ran(run)).toHaveLength(3);
  });

  it('what is pending then is not lost: a resume with a higher limit goes on with it', () => {
    const run = play({ hats: [makeHat('builder', ['build.start'])], limits: { maxIterations: 1 } });
    run.end([write('build.start')]);
    expect(ending(run)).toBe('max_iterations');
    run.resume({ limits: { maxIterations: 2 } });
    expect([ran(run), given(run)]).toEqual([['ralph', 'builder'], ['build.start']]);
  });

  it('a second chance that was planned is not lost either', () => {
    const run = play({ hats: [makeHat('builder', ['build.start'])], limits: { maxIterations: 1 } });
    run.end([write('gossip')]);
    expect([ending(run), ran(run)]).toEqual(['max_iterations', ['ralph']]);
    run.resume({ limits: { maxIterations: 2 } });
    expect(run.turn()).toMatchObject({ hat: 'ralph', events: [{ topic: 'task.start' }], feedback: [{ kind: 'refused', topic: 'gossip' }] });
  });

  it('resumed without a higher limit the run ends again, before any turn', () => {
    const run = play({ limits: { maxIterations: 1 } });
    run.end();
    run.resume();
    expect([ran(run).length, run.all('run-end').length, ending(run)]).toEqual([1, 2, 'max_iterations']);
  });

  it('interrupted turns do not count', () => {
    const run = play({ limits: { maxIterations: 2 } });
    run.resume();
    run.resume();
    run.end();
    run.end([PROMISE]);
    expect([ending(run), run.state().counters]).toMatchObject(['completed', { iteration: 4, counted: 2 }]);
  });

  it('of zero starts nothing', () => {
    const run = play({ limits: { maxIterations: 0 } });
    expect([ending(run), ran(run)]).toEqual(['max_iterations', []]);
  });
});

describe('max_runtime_seconds', () => {
  it('also interrupts a running iteration', () => {
    const run = play({ limits: { maxRuntimeMs: HOUR } });
    run.pass(HOUR);
    expect(run.post({ type: 'timer-fired', timer: 1 })).toEqual([{ type: 'iteration-stop', iteration: 1, attempt: 1, force: false }]);
    run.interrupt();
    expect(run.last('run-end')).toEqual({ type: 'run-end', reason: 'max_runtime', detail: '1 h 00 min of running time are used' });
  });

  it('lets no further turn start when it is used up', () => {
    const run = play({ limits: { maxRuntimeMs: HOUR } });
    run.pass(HOUR);
    run.end();
    expect([ending(run), ran(run).length]).toEqual(['max_runtime', 1]);
  });

  it('ends a run that waits', () => {
    const run = play({ limits: { maxRuntimeMs: 5000, cooldownMs: HOUR } });
    run.end();
    run.pass(5000);
    run.post({ type: 'timer-fired', timer: 1 });
    expect(ending(run)).toBe('max_runtime');
  });

  it('counts what earlier processes used, and not the time between them', () => {
    const run = play({ limits: { maxRuntimeMs: HOUR } });
    run.pass(1000);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.interrupt();
    run.pass(10 * HOUR);
    run.resume();
    expect([ending(run), run.state().elapsedMs]).toEqual([null, 1000]);
    expect(run.last('timer-set')).toMatchObject({ purpose: 'runtime', dueAt: run.now() + HOUR - 1000 });
  });

  it('counts of a process that died what is known of it, and not the time until it is resumed', () => {
    const run = play({ limits: { maxRuntimeMs: HOUR } });
    run.pass(2000);
    run.post({
      type: 'iteration-spawned',
      iteration: 1,
      attempt: 1,
      pid: 1,
      processStart: null,
      backend: 'claude',
      argv: [],
      promptHash: '',
      promptTokens: 0,
    });
    run.pass(10 * HOUR);
    run.resume();
    expect([ending(run), run.state().elapsedMs, run.state().runningSince]).toEqual([null, 2000, run.now()]);
    expect(run.turn()).toMatchObject({ hat: 'ralph', iteration: 2 });
  });

  it('stands after the end, whatever comes late', () => {
    const run = play({ limits: { maxRuntimeMs: HOUR } });
    run.pass(1000);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.interrupt();
    run.pass(10 * HOUR);
    run.post({ type: 'checkpoint-finished', iteration: 1, commit: null, leftOut: [], note: '' });
    run.resume();
    expect([ending(run), run.state().elapsedMs]).toEqual([null, 1000]);
  });

  it('an old timer means nothing any more', () => {
    const run = play({ limits: { maxRuntimeMs: HOUR } });
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.interrupt();
    run.resume();
    expect([run.post({ type: 'timer-fired', timer: 1 }), ending(run)]).toEqual([[], null]);
  });

  it('ends the turn in which it is reached; what that turn cost counts once, and the same events come again when it is raised', () => {
    const run = play({ limits: { maxCostUsd: 1 } });
    run.end([], cost(0.6));
    const { iteration, attempt, events } = run.turn();
    run.post({ type: 'usage-reported', iteration, attempt, ...spentSoFar(0.3) });
    expect(run.all('iteration-stop')).toEqual([]);
    run.post({ type: 'usage-reported', iteration, attempt, ...spentSoFar(0.4) });
    expect(run.all('iteration-stop')).toEqual([{ type: 'iteration-stop', iteration, attempt, force: false }]);
    run.end([], { outcome: { status: 'interrupted' }, ...cost(0.5) });
    expect(run.last('run-end')).toMatchObject({ reason: 'max_cost', detail: expect.stringContaining('$1.00 of $1.00') });
    expect(run.state().usage.costUsd).toBeCloseTo(1.1);
    run.resume({ limits: { maxCostUsd: 2 } });
    expect(run.turn().events).toEqual(events);
  });

  it('a report of a turn that is over, or of a run without a limit, ends nothing', () => {
    const run = play({ limits: { maxCostUsd: 1 } });
    run.post({ type: 'usage-reported', iteration: 9, attempt: 1, ...spentSoFar(5) });
    const free = play();
    free.post({ type: 'usage-reported', iteration: 1, attempt: 1, ...spentSoFar(5) });
    expect([run.all('iteration-stop'), free.all('iteration-stop')]).toEqual([[], []]);
  });

  it('a turn that declares completion although it was asked to end has completed the run', () => {
    const run = play({ limits: { maxCostUsd: 1 } });
    run.post({ type: 'usage-reported', iteration: 1, attempt: 1, ...spentSoFar(2) });
    run.end([PROMISE], cost(2));
    expect(ending(run)).toBe('completed');
  });

  it('can be raised by a resume', () => {
    const run = play({ limits: { maxRuntimeMs: HOUR } });
    run.pass(HOUR);
    run.end();
    run.resume({ limits: { maxRuntimeMs: 3 * HOUR } });
    expect([ending(run), run.last('timer-set').dueAt]).toEqual([null, BEGIN + 3 * HOUR]);
  });

  it('a clock that goes backwards does no harm', () => {
    const run = play({ limits: { maxRuntimeMs: HOUR } });
    run.pass(-10 * HOUR);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.interrupt();
    expect(run.state().elapsedMs).toBe(0);
  });
});

describe('max_cost_usd', () => {
  it('when cumulative cost exceeds $50 the loop terminates with cost limit reason', () => {
    const run = play({ limits: { maxCostUsd: 50 } });
    run.end([], cost(30));
    expect(ending(run)).toBeNull();
    run.end([], cost(20.5));
    expect(run.last('run-end')).toEqual({ type: 'run-end', reason: 'max_cost', detail: '$50.50 of $50.00 are spent' });
  });

  it('is used up when it is reached', () => {
    const run = play({ limits: { maxCostUsd: 1 } });
    run.end([], cost(1));
    expect(ending(run)).toBe('max_cost');
  });

  it('counts turns that failed or were interrupted', () => {
    const run = play({ limits: { maxCostUsd: 10 } });
    run.end([], { outcome: { status: 'failed', failure: { class: 'agent', message: '' } }, ...cost(6) });
    run.end([], { outcome: { status: 'interrupted' }, ...cost(6) });
    expect(ending(run)).toBe('max_cost');
  });

  it('unknown costs are counted as unknown turns, never as nothing', () => {
    const run = play({ limits: { maxCostUsd: 10 } });
    run.end();
    run.end([], cost(1));
    run.end();
    expect([run.state().usage, run.state().unknownCostTurns]).toEqual([{ ...UNKNOWN, costUsd: 1 }, 2]);
  });

  it('can be raised by a resume', () => {
    const run = play({ limits: { maxCostUsd: 1 } });
    run.end([], cost(2));
    run.resume({ limits: { maxCostUsd: 5 } });
    expect([ending(run), ran(run).length]).toEqual([null, 2]);
  });
});

describe('cooldown_delay_seconds', () => {
  it('holds the next turn back after each turn', () => {
    const run = play({ limits: { cooldownMs: 3000 } });
    expect(ran(run)).toHaveLength(1);
    run.end();
    expect([ran(run).length, run.last('timer-set')]).toEqual([
      1,
      { type: 'timer-set', timer: 2, dueAt: BEGIN + 3000, purpose: 'cooldown' },
    ]);
    run.ring();
    run.end();
    run.ring();
    expect(ran(run)).toHaveLength(3);
  });

  it('an event from outside does not shorten it', () => {
    const run = play({ limits: { cooldownMs: 3000 } });
    run.end();
    run.post({ type: 'events-received', signals: [write('hurry')], problems: [], inboxOffset: 1 });
    expect(ran(run)).toHaveLength(1);
  });

  it('is not waited out before an end', () => {
    const run = play({ limits: { cooldownMs: 3000, maxIterations: 1 } });
    run.end();
    expect(ending(run)).toBe('max_iterations');
  });

  it('is forgotten at an end', () => {
    const run = play({ limits: { cooldownMs: 3000 } });
    run.end();
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    expect(run.state().timers).toEqual([]);
  });

  it('is not waited out by a new process', () => {
    const run = play({ limits: { cooldownMs: 3000 } });
    run.end();
    run.resume();
    expect(ran(run)).toHaveLength(2);
  });
});

describe('checkpoint_interval', () => {
  it('when iteration 5, 10, 15... completes a git commit is created with checkpoint message', () => {
    const run = play({ limits: { checkpointInterval: 5 } });
    for (let count = 0; count < 16; count += 1) run.end();
    expect(run.all('checkpoint-make')).toEqual([
      { type: 'checkpoint-make', iteration: 5 },
      { type: 'checkpoint-make', iteration: 10 },
      { type: 'checkpoint-make', iteration: 15 },
    ]);
  });

  it('is due after a completing turn too, before the end', () => {
    const run = play({ limits: { checkpointInterval: 1 } });
    expect(run.end([PROMISE]).map((effect) => effect.type)).toEqual(['checkpoint-make', 'event-publish', 'run-end']);
  });

  it('is due before the next turn begins', () => {
    const run = play({ limits: { checkpointInterval: 1 } });
    expect(run.end().map((effect) => effect.type)).toEqual(['checkpoint-make', 'event-publish', 'iteration-start']);
  });

  it('of zero makes none', () => {
    const run = play({ limits: { checkpointInterval: 0 } });
    run.end();
    expect(run.all('checkpoint-make')).toEqual([]);
  });

  it('one that a dead process left unfinished is made again', () => {
    const run = play({ limits: { checkpointInterval: 1 } });
    run.end();
    run.resume();
    expect(run.all('checkpoint-make')).toEqual([
      { type: 'checkpoint-make', iteration: 1 },
      { type: 'checkpoint-make', iteration: 1 },
    ]);
  });

  it('one that was finished is not made again, even when it was finished after the end', () => {
    const run = play({ limits: { checkpointInterval: 1, maxIterations: 1 } });
    run.end();
    expect(run.post({ type: 'checkpoint-finished', iteration: 1, commit: 'abc', leftOut: ['notes.txt'], note: '' })).toEqual([]);
    run.resume({ limits: { maxIterations: 2 } });
    expect(run.all('checkpoint-make')).toHaveLength(1);
  });

  it('files that were left out are named', () => {
    const run = play({ limits: { checkpointInterval: 1 } });
    run.end();
    run.post({ type: 'checkpoint-finished', iteration: 1, commit: 'abc', leftOut: ['a.txt', 'b.txt'], note: '' });
    expect(run.last('notice')).toMatchObject({
      level: 'info',
      code: 'checkpoint-left-out',
      text: 'Left out of the checkpoint, because you had changed them before the run: a.txt, b.txt.',
    });
  });
});
