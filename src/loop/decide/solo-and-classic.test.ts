import { describe, expect, it } from 'vitest';
import { ending, given, PROMISE, play, published, ran, write } from './decide-fixtures.ts';

describe('single-hat mode', () => {
  it('a `task.start` event is published to the bus, and the default hat receives it (subscribed to `*`)', () => {
    const run = play({ mode: 'single', objective: 'Paint it.' });
    expect(run.turn()).toMatchObject({ hat: 'default', events: [{ topic: 'task.start', payload: 'Paint it.' }] });
  });

  it('CLI output does NOT contain `LOOP_COMPLETE`: a `task.continue` event is published, and the default hat receives it and runs again', () => {
    const run = play({ mode: 'single' });
    run.end();
    run.end();
    expect(published(run)).toEqual(['task.start > default', 'task.continue > default', 'task.continue > default']);
    expect([ran(run), given(run)]).toEqual([['default', 'default', 'default'], ['task.continue']]);
  });

  it('CLI output contains `LOOP_COMPLETE`: the loop terminates successfully', () => {
    const run = play({ mode: 'single' });
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('task.done acts like task.continue: the default hat receives it and runs again', () => {
    const run = play({ mode: 'single' });
    run.end([write('task.done', 'one step')]);
    expect([run.turn().hat, given(run), ending(run)]).toEqual(['default', ['task.done', 'task.continue'], null]);
  });

  it('whatever is published, and wherever it is sent, the default hat receives it', () => {
    const run = play({ mode: 'single' });
    run.end([write('anything.at.all'), write('x', '', 'ralph'), write('y', '', 'nobody'), write('z', '', 'default')]);
    expect([given(run), run.turn().hat]).toEqual([['anything.at.all', 'x', 'y', 'z', 'task.continue'], 'default']);
  });
});

describe('solo', () => {
  it('without the promise the loop publishes task.continue', () => {
    const run = play();
    run.end();
    expect([published(run), run.turn().fallback]).toEqual([['task.start > ralph', 'task.continue > ralph'], null]);
  });

  it('Ralph’s own events come back to him, without a word of a fallback', () => {
    const run = play();
    run.end([write('plan.made', 'three steps')]);
    expect([given(run), run.turn().fallback, run.all('notice')]).toEqual([['plan.made', 'task.continue'], null, []]);
  });

  it('with the promise it is over', () => {
    const run = play();
    run.end();
    run.end([PROMISE]);
    expect([ending(run), ran(run).length]).toEqual(['completed', 2]);
  });
});
