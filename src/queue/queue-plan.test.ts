import { describe, expect, test } from 'vitest';
import type { Json } from '../core/values/json.ts';
import { parseQueue, type Queue } from './queue-file.ts';
import { chooseTask, isCutOff, toNight, toNightExitCode, withoutTasks, withTask, withTasks } from './queue-plan.ts';

const EMPTY: Queue = { nextId: 1, night: { number: 0, startedAt: 0, endedAt: 0, ranMs: 0 }, tasks: [] };
const HOSTILE = 'one\nline "two"\u0000\u001b[2J\u2028 $(rm -rf) '.repeat(3000);
const RUN = '20261121-223331-k7f2a';

function makeQueue(...texts: readonly string[]): Queue {
  const drafts = texts.map((text) => ({ text, file: null, options: { maxCost: '2', config: ['a.yml', 'x=1'] } }));
  return withTasks(EMPTY, drafts, { at: 5, folder: '' }).queue;
}

describe('a queue', () => {
  test('gives each task a number that no other one ever gets', () => {
    const queue = withoutTasks(makeQueue('a', 'b'), [2]);
    const { made } = withTasks(queue, [{ text: null, file: 'c.md', options: {} }], { at: 6, folder: 'sub' });
    expect(made.map(({ id, file, folder, stage }) => [id, file, folder, stage])).toEqual([[3, 'c.md', 'sub', 'waiting']]);
  });

  test('is read as it was written, whatever its tasks say', () => {
    const queue = withTask(makeQueue(HOSTILE, 'b'), 2, { stage: 'running', runId: RUN, night: 1 });
    expect(parseQueue(JSON.parse(JSON.stringify({ version: 1, ...queue })) as Json, 'queue.json')).toEqual(queue);
  });

  test.each([
    ['no object', []],
    ['another version', { version: 2, ...makeQueue('a') }],
    ['a part missing', { version: 1, nextId: 2, tasks: [] }],
    ['two tasks of one number', { version: 1, ...makeQueue('a'), tasks: [...makeQueue('a').tasks, ...makeQueue('b').tasks] }],
    ['a number that comes again', { version: 1, ...makeQueue('a'), nextId: 1 }],
    ['a task without words', { version: 1, ...withTask(makeQueue('a'), 1, { text: null }) }],
    ['an unknown stage', { version: 1, ...makeQueue('a'), tasks: [{ ...makeQueue('a').tasks[0], stage: 'new' }] }],
    ['a run that leads out of the folder', { version: 1, ...withTask(makeQueue('a'), 1, { runId: '../../etc' }) }],
    [
      'options that nobody typed',
      { version: 1, ...makeQueue('a'), tasks: [{ ...makeQueue('a').tasks[0], options: { maxCost: { a: 1 } } }] },
    ],
  ])('with %s is none, and nothing of it is guessed', (_, value) => {
    expect(() => parseQueue(value as unknown as Json, 'queue.json')).toThrow(expect.objectContaining({ code: 'queue-unreadable' }));
  });

  test('goes on with what was under way before it begins what waits, each task once in a night', () => {
    const queue = withTask(withTask(makeQueue('a', 'b', 'c'), 1, { stage: 'over' }), 3, { stage: 'running', runId: RUN });
    const tried = new Set<number>();
    const order = [];
    for (let task = chooseTask(queue, tried); task !== null; task = chooseTask(queue, tried)) {
      order.push(task.id);
      tried.add(task.id);
    }
    expect(order).toEqual([3, 2]);
  });

  test('that was killed goes on with its night; one that ended begins the next', () => {
    const first = toNight(EMPTY, 10);
    expect(first).toEqual({ number: 1, startedAt: 10, endedAt: null, ranMs: 0 });
    expect(toNight({ ...EMPTY, night: { ...first, ranMs: 7 } }, 20)).toEqual({ ...first, ranMs: 7 });
    expect(toNight({ ...EMPTY, night: { ...first, endedAt: 15 } }, 20)).toMatchObject({ number: 2, startedAt: 20, ranMs: 0 });
  });
});

describe('a night', () => {
  test('ends as its worst task, as a limit, or by its signal', () => {
    expect(toNightExitCode('done', [])).toBe(0);
    expect(toNightExitCode('done', [0, 0])).toBe(0);
    expect(toNightExitCode('done', [0, 2, 1])).toBe(1);
    expect(toNightExitCode('done', [2, 0])).toBe(2);
    expect(toNightExitCode('limit', [0, 130])).toBe(2);
    expect(toNightExitCode('stopped', [1, 143])).toBe(143);
    expect(toNightExitCode('stopped', [])).toBe(130);
    // Somebody stopped a single run.
    expect(toNightExitCode('done', [0, 130])).toBe(130);
  });

  test('goes on another time with runs that were cut off, and with no others', () => {
    expect((['interrupted', 'terminated', 'hangup', 'parked', 'max_cost', 'completed'] as const).map(isCutOff)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
