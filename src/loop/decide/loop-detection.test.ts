import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { ending, type Play, play, write } from './decide-fixtures.ts';
import { findLoop } from './find-loop.ts';

const HATS = [makeHat('a', ['task.start', 'to.a'], ['to.b', 'to.a', 'note']), makeHat('b', ['to.b'], ['to.a', 'to.b'])];

/** Each turn publishes one event; returns after how many turns the run ended. */
function exchange(run: Play, next: (count: number) => Parameters<typeof write>): number {
  let count = 0;
  for (; count < 30 && ending(run) === null; count += 1) run.end([write(...next(count))]);
  return count;
}

describe('loop detection', () => {
  it('repetition is the same hat, topic and payload three times in a row', () => {
    const run = play({ hats: HATS });
    expect(exchange(run, () => ['to.a', 'again'])).toBe(3);
    expect(run.last('run-end')).toMatchObject({
      reason: 'loop_detected',
      detail: 'a published to.a ("again") 3 times in a row, with the same payload each time',
    });
  });

  it('never a false stop for the same topic with new payloads', () => {
    const run = play({ hats: HATS, limits: { maxIterations: 25 } });
    expect([exchange(run, (count) => ['to.a', { progress: count }]), ending(run)]).toEqual([25, 'max_iterations']);
  });

  it('oscillation is A, B, A, B, A, B with the same payloads', () => {
    const run = play({ hats: HATS });
    expect(exchange(run, (count) => (count % 2 === 0 ? ['to.b', 'ping'] : ['to.a', 'pong']))).toBe(6);
    expect(run.last('run-end')).toMatchObject({
      reason: 'loop_detected',
      detail: 'a and b exchanged the same two events 3 times: a to.b ("ping"), b to.a ("pong")',
    });
  });

  it('two hats that hand new work to each other are no oscillation', () => {
    const run = play({ hats: HATS, limits: { maxIterations: 25 } });
    exchange(run, (count) => (count % 2 === 0 ? ['to.b', `task ${count}`] : ['to.a', 'done']));
    expect(ending(run)).toBe('max_iterations');
  });

  it('payloads that only look different are the same', () => {
    const run = play({ hats: HATS });
    expect(exchange(run, (count) => ['to.a', count % 2 === 0 ? { x: 1, y: 2 } : '{"y": 2, "x": 1}'])).toBe(3);
  });

  it('the same event several times in one turn is one occasion', () => {
    const run = play({ hats: HATS });
    run.end([write('to.a', 'x'), write('to.a', 'x'), write('to.a', 'x'), write('to.a', 'x')]);
    run.end([write('to.a', 'x')]);
    expect(ending(run)).toBeNull();
    run.end([write('to.a', 'x')]);
    expect(ending(run)).toBe('loop_detected');
  });

  it('something else in between breaks the row', () => {
    const run = play({ hats: HATS, limits: { maxIterations: 25 } });
    expect(exchange(run, (count) => ['to.a', count % 3 === 2 ? `news ${count}` : 'same'])).toBe(25);
  });

  it('what people repeat is no loop', () => {
    const run = play({ hats: HATS });
    for (let count = 0; count < 5; count += 1)
      run.post({ type: 'events-received', signals: [write('to.b', 'go')], problems: [], inboxOffset: count });
    run.end();
    expect(ending(run)).toBeNull();
  });

  it.each([true, null])('defaults are no loop where a file changed or nobody looked: treeChanged %s', (treeChanged) => {
    const hats = [makeHat('a', ['task.start', 'to.a'], ['to.a'], { defaultPublishes: ['to.a'] })];
    const run = play({ hats, limits: { maxIterations: 10 } });
    while (ending(run) === null) run.end([], { treeChanged });
    expect(ending(run)).toBe('max_iterations');
  });

  it.each([1, 2, 3, 5])('%d hats that change nothing and leave it to their defaults are a loop', (count) => {
    const hats = Array.from({ length: count }, (_, at) => {
      const next = `go.${(at + 1) % count}`;
      return makeHat(`h${at}`, at === 0 ? ['task.start', 'go.0'] : [`go.${at}`], [next], { defaultPublishes: [next] });
    });
    const run = play({ hats, limits: { maxIterations: 50 } });
    let turns = 0;
    for (; ending(run) === null; turns += 1) run.end([], { treeChanged: false });
    expect([ending(run), turns]).toEqual(['loop_detected', count * 2 + 1]);
    expect(run.last('run-end').detail).toMatch(count === 1 ? 'h0 published go.0 3 times' : /changed no file .* go\.1 3 times$/);
  });

  it('a hat that says something of its own breaks a circle of defaults', () => {
    const hats = [
      makeHat('a', ['task.start', 'to.a'], ['to.b'], { defaultPublishes: ['to.b'] }),
      makeHat('b', ['to.b'], ['to.c'], { defaultPublishes: ['to.c'] }),
      makeHat('c', ['to.c'], ['to.a'], { defaultPublishes: ['to.a'] }),
    ];
    const run = play({ hats, limits: { maxIterations: 30 } });
    for (let turn = 0; ending(run) === null; turn += 1) run.end(turn % 6 === 5 ? [write('to.a', turn)] : [], { treeChanged: false });
    expect(ending(run)).toBe('max_iterations');
  });

  it('task.done in mode: single is no loop: it acts like task.continue', () => {
    const run = play({ mode: 'single', limits: { maxIterations: 10 } });
    expect([exchange(run, () => ['task.done', '']), ending(run)]).toEqual([10, 'max_iterations']);
  });

  it('task.done is a word like any other where nobody is single', () => {
    expect(exchange(play(), () => ['task.done', ''])).toBe(3);
  });

  it('another topic is a loop also in mode: single', () => {
    expect(exchange(play({ mode: 'single' }), () => ['note', ''])).toBe(3);
  });

  it('different events of one turn are so many occasions', () => {
    const run = play({ hats: HATS });
    run.end([write('to.a', 'x'), write('note', 'x'), write('to.a', 'y')]);
    expect(run.state().footprints).toHaveLength(3);
  });

  it('a completed run was no loop, although it ends with a repetition', () => {
    const run = play({ hats: HATS });
    run.end([write('to.a', 'x')]);
    run.end([write('to.a', 'x')]);
    run.end([write('to.a', 'x'), write('task.complete')]);
    expect(ending(run)).toBe('completed');
  });

  it('is configurable, and can be switched off', () => {
    const patient = play({ hats: HATS, loopDetection: { repetition: 5, oscillation: 0 } });
    expect(exchange(patient, () => ['to.a', 'x'])).toBe(5);
    const off = play({ hats: HATS, loopDetection: { repetition: 0, oscillation: 0 }, limits: { maxIterations: 20 } });
    expect([exchange(off, (count) => (count % 2 === 0 ? ['to.b', ''] : ['to.a', ''])), ending(off)]).toEqual([20, 'max_iterations']);
  });

  it('a resumed run begins anew', () => {
    const run = play({ hats: HATS });
    exchange(run, () => ['to.a', 'x']);
    run.resume();
    run.end([write('to.a', 'x')]);
    run.end([write('to.a', 'x')]);
    expect(ending(run)).toBeNull();
  });

  it('remembers no more than it needs', () => {
    const run = play({ hats: HATS, limits: { maxIterations: 100 } });
    for (let count = 0; count < 20; count += 1) run.end([write('to.a', count)]);
    expect(run.state().footprints).toHaveLength(6);
  });
});

describe('finding a loop in footprints', () => {
  const marks = (text: string) => [...text].map((letter) => ({ hat: letter.toLowerCase(), hash: letter }));

  it.each([
    ['', false],
    ['a', false],
    ['aa', false],
    ['aaa', true],
    ['baaa', true],
    ['aaab', false],
    ['aAa', false],
    ['ababab', true],
    ['bababa', true],
    ['xababab', true],
    ['babab', false],
    ['abababx', false],
    ['abaabab', false],
    ['aAaAaA', true],
    ['abcabcabc', false],
  ])('%j: %s', (text, expected) => {
    expect(findLoop(marks(text), { repetition: 3, oscillation: 3 }) !== null).toBe(expected);
  });
});
