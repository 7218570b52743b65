import { describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../../topology/routing/compile-topology.ts';
import { INITIAL_STATE } from './decide.ts';
import { BEGIN, decideUnderLaws, given, play, published, ran } from './decide-fixtures.ts';

const BUILDER = makeHat('builder', ['build.start'], ['build.done']);

describe('the beginning of a run', () => {
  it('a `task.start` event is published with prompt contents', () => {
    const run = play({ objective: 'Mend the roof.' });
    expect(run.all('event-publish')).toEqual([
      {
        type: 'event-publish',
        event: { id: 'e1', topic: 'task.start', payload: 'Mend the roof.', source: 'system', ts: BEGIN, iteration: 0 },
        to: ['ralph'],
        how: 'trigger',
      },
    ]);
    expect(given(run)).toEqual(['task.start']);
  });

  it('the first turn is ordered with everything that its performer needs', () => {
    const run = play({ ralph: { instructions: '', backends: ['claude'], timeoutMs: 600_000, idleTimeoutMs: 60_000 } });
    const { events, ...order } = run.turn();
    expect(order).toEqual({
      type: 'iteration-start',
      iteration: 1,
      attempt: 1,
      hat: 'ralph',
      backend: 0,
      feedback: [],
      fallback: null,
      timeoutMs: 600_000,
      idleTimeoutMs: 60_000,
    });
    expect(events).toHaveLength(1);
  });

  it('a hat has time limits of its own', () => {
    const run = play({ hats: [makeHat('a', ['task.start'], [], { timeoutMs: 5000, idleTimeoutMs: 400 })] });
    expect(run.turn()).toMatchObject({ hat: 'a', timeoutMs: 5000, idleTimeoutMs: 400 });
  });

  it('the clock of max_runtime_seconds is set', () => {
    expect(play({ limits: { maxRuntimeMs: 14_400_000 } }).all('timer-set')).toEqual([
      { type: 'timer-set', timer: 1, dueAt: BEGIN + 14_400_000, purpose: 'runtime' },
    ]);
  });

  it('in mode: single the default hat receives `task.start` (subscribed to `*`)', () => {
    const run = play({ mode: 'single' });
    expect([published(run), ran(run)]).toEqual([['task.start > default'], ['default']]);
  });

  it('under ralph Ralph begins, also where a hat would take task.start', () => {
    const run = play({ coordinator: 'ralph', hats: [makeHat('a', ['task.start'])] });
    expect([published(run), ran(run)]).toEqual([['task.start > ralph'], ['ralph']]);
  });

  it('under ralph the starting event is published first instead of task.start', () => {
    const run = play({ hats: [BUILDER], startingEvent: 'build.start' });
    expect([published(run), ran(run)]).toEqual([['build.start > builder'], ['builder']]);
  });

  it('under hats the entry hat begins', () => {
    const run = play({ hats: [BUILDER, makeHat('planner', ['task.start'], ['build.start'])] });
    expect([published(run), ran(run)]).toEqual([['task.start > planner'], ['planner']]);
  });

  it('under hats task.ready is published where only that one is taken', () => {
    expect(published(play({ hats: [makeHat('planner', ['task.ready'])] }))).toEqual(['task.ready > planner']);
  });

  it('the starting hat begins, although it does not take task.start', () => {
    expect(published(play({ hats: [BUILDER, makeHat('a', ['x'])], startingHat: 'a' }))).toEqual(['task.start > a']);
  });

  it('under fan-out every hat that takes the first topic begins, one after the other', () => {
    const run = play({ hats: [makeHat('a', ['task.start']), makeHat('b', ['task.start'])], routing: 'fanout' });
    expect([published(run), ran(run)]).toEqual([['task.start > a, b'], ['a']]);
    run.end();
    expect(ran(run)).toEqual(['a', 'b']);
  });

  it('under fan-out a starting hat begins alone', () => {
    const hats = [makeHat('a', ['task.start']), makeHat('b', ['task.start'])];
    expect(published(play({ hats, routing: 'fanout', startingHat: 'b' }))).toEqual(['task.start > b']);
  });

  it('under fan-out Ralph begins alone where he coordinates', () => {
    const hats = [makeHat('a', ['task.start']), makeHat('b', ['task.start'])];
    expect(published(play({ hats, routing: 'fanout', coordinator: 'ralph' }))).toEqual(['task.start > ralph']);
  });

  it('nothing happens before it, and it does not happen twice', () => {
    const spec = makeSpec();
    const topology = compileTopology(spec);
    const early = decideUnderLaws(topology, INITIAL_STATE, { type: 'run-resumed', at: BEGIN });
    expect(early).toEqual({ state: { ...INITIAL_STATE, at: BEGIN }, effects: [] });
    const run = play();
    expect(run.post({ type: 'run-started', runId: 'again', spec, flags: [], inboxOffset: 9 })).toEqual([]);
    expect(run.state()).toMatchObject({ runId: 'run-1', inboxOffset: 0 });
  });

  it('the process of the agent is remembered, so that a later process can end what this one left', () => {
    const run = play();
    const spawned = { pid: 77, processStart: '123', backend: 'claude', argv: ['claude'], promptHash: 'x', promptTokens: 9 };
    run.post({ type: 'iteration-spawned', iteration: 1, attempt: 1, ...spawned });
    run.post({ type: 'iteration-spawned', iteration: 1, attempt: 2, ...spawned, pid: 88 });
    expect(run.state().activations).toMatchObject([{ iteration: 1, attempt: 1, hat: 'ralph', pid: 77, processStart: '123' }]);
  });
});
