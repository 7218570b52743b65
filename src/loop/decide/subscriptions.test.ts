import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { type Play, play, published, write } from './decide-fixtures.ts';

const IMPLEMENTER = makeHat('implementer', ['task.start'], ['impl.done', 'impl.stuck']);
const REVIEWER = makeHat('reviewer', ['impl.*'], ['review.done']);

/** The implementer runs; then it says that it is done. */
function implemented(routing: 'exclusive' | 'fanout'): Play {
  const run = play({ hats: [IMPLEMENTER, REVIEWER], mode: 'multi', routing });
  run.end([write('impl.done', 'the login')]);
  return run;
}

describe.each(['exclusive', 'fanout'] as const)('seed 004: the event bus, routing: %s', (routing) => {
  it('a hat subscribed to `impl.*` receives an event with topic `impl.done`', () => {
    const run = implemented(routing);
    expect(published(run).at(-1)).toBe('impl.done > reviewer');
    expect(run.turn()).toMatchObject({ hat: 'reviewer', events: [{ topic: 'impl.done', payload: 'the login', source: 'implementer' }] });
  });

  it('a hat subscribed to `task.start` does NOT receive an event with topic `impl.done`', () => {
    const run = implemented(routing);
    run.end([write('review.done')]);
    const given = run.all('iteration-start').flatMap(({ hat, events }) => events.map((event) => `${event.topic} > ${hat}`));
    expect(given).toEqual(['task.start > implementer', 'impl.done > reviewer', 'review.done > ralph']);
    expect(run.state().pending).toEqual([]);
  });
});
