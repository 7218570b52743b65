import { describe, expect, test } from 'vitest';
import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { Json } from '../core/values/json.ts';
import { hearOnce, parseGateTask, parseGateWords, parseWorkerWords } from './messages.ts';

const TURN = { iteration: 3, attempt: 1 };
const END: Readonly<Record<string, Json>> = {
  ...{ type: 'iteration-ended', at: 5, ...TURN, inboxOffset: 0, outcome: { status: 'succeeded' }, exitCode: 0, durationMs: 7 },
  ...{
    producedOutput: true,
    usage: { ...UNKNOWN_USAGE },
    sessionId: null,
    finalText: 'done',
    toolCalls: null,
    treeChanged: null,
    leftovers: 0,
  },
  ...{ signals: [{ kind: 'event' }], problems: [] },
};
const read = (more: Readonly<Record<string, Json>>) => parseWorkerWords({ kind: 'ended', input: { ...END, ...more }, home: null }, TURN);

describe('the last report of a turn', () => {
  test('is read', () => {
    expect(read({})).toMatchObject({ kind: 'ended', input: { finalText: 'done' } });
    expect(read({ outcome: { status: 'failed', failure: { class: 'transient', message: 'x' } } })).not.toBe(null);
  });

  test.each([
    ['of another turn', { iteration: 4 }],
    ['signals that are none', { signals: [null] }],
    ['problems that are none', { problems: ['x'] }],
    ['a failure without a reason', { outcome: { status: 'failed' } }],
    ['another outcome', { outcome: { status: 'splendid' } }],
    ['a usage without figures', { usage: {} }],
    ['a cost that gives money back', { usage: { ...UNKNOWN_USAGE, costUsd: -5 } }],
    ['no text', { finalText: null }],
  ])('is refused with %s: in the journal it would be read again and again', (_, more) => {
    expect(read(more)).toBe(null);
  });

  test('is no way to say something that is not the worker’s to say', () => {
    const stop = { type: 'stop-requested', at: 5, ...TURN, how: 'kill', by: 'worker' };
    expect(parseWorkerWords({ kind: 'input', input: stop }, TURN)).toBe(null);
  });
});

describe('what a person says from another machine', () => {
  const say = (id: string, body: Json = null): string => JSON.stringify({ id, body });

  test('is heard again where whoever heard it could say nothing: it may be meant for the next process', async () => {
    let isOwn = false;
    const hear = hearOnce(async () => {
      if (!isOwn) throw new Error('the run is somebody else’s');
      return 'heard';
    });
    expect(await hear(say('w1'))).toBe(null);
    isOwn = true;
    expect(await hear(say('w1'))).toBe('heard');
  });

  test.each(['', 'no json', '7', '{}', say(''), say('a b'), say('../x'), say('x'.repeat(200)), say('w1', 'y'.repeat(300_000))])(
    'is heard by nobody where it is none (%#)',
    async (text) => {
      let heard = 0;
      const hear = hearOnce(async () => {
        heard += 1;
        return 'heard';
      });
      expect([await hear(text), heard]).toEqual([null, 0]);
    },
  );
});

describe('the order of a gate', () => {
  const task = {
    kind: 'gate',
    offer: 'o',
    cwd: '/w',
    gate: 2,
    command: 'npm test',
    spec: { run: 'tests', timeoutMs: 1000, onlyIf: ['src/**'] },
  };

  test('is read as a gate that runs this command now, whatever passed before and whatever changed', () => {
    expect(parseGateTask(task)).toEqual({ ...task, spec: { on: [], run: 'npm test', timeoutMs: 1000, retries: 0, cache: false } });
  });

  test.each([
    ['of a turn', { kind: 'turn' }],
    ['without a command', { command: null }],
    ['without a limit of time', { spec: { run: 'x' } }],
    ['that is to take no time', { spec: { run: 'x', timeoutMs: 0 } }],
    ['that is to be tried no number of times', { spec: { run: 'x', timeoutMs: 1, retries: -1 } }],
    ['at no place of the list', { gate: 'x' }],
  ])('is none where it is one %s', (_, more) => {
    expect(parseGateTask({ ...task, ...more } as Json)).toBe(null);
  });
});

describe('the report of a gate', () => {
  const shown = { passed: true, exitCode: 0, timedOut: false, durationMs: 5, outputTail: 'fine', isCut: false };
  const whole = {
    kind: 'gate',
    offer: 'mine',
    log: null,
    trouble: '',
    shown: { ...shown, attempts: [{ exitCode: 0, timedOut: false, durationMs: 5 }] },
  };
  const readGate = (more: Readonly<Record<string, Json>>): unknown =>
    parseGateWords({ ...whole, shown: { ...whole.shown, ...more } }, 'mine')?.shown ?? null;

  test('is read, and what it says beside is left out', () => {
    expect(readGate({ ranTests: 3, surprise: 'x' })).toEqual({ ...whole.shown, ranTests: 3 });
    expect(String((readGate({ outputTail: 'x'.repeat(100_000) }) as { outputTail: string }).outputTail).length).toBeLessThan(10_000);
  });

  test.each([
    ['passes with another exit code', { exitCode: 1 }],
    ['passes without an exit code', { exitCode: null }],
    ['passes after its time', { timedOut: true }],
    ['took less than no time', { durationMs: -1 }],
    ['has no tries', { attempts: null }],
    ['has a try that is none', { attempts: ['x'] }],
    ['has no verdict', { passed: 'yes' }],
  ])('is no verdict where it %s', (_, more) => {
    expect(readGate(more)).toBe(null);
  });

  test('counts for its own offer alone', () => {
    expect(parseGateWords(whole, 'another')).toBe(null);
    expect(parseGateWords({ kind: 'ended' }, 'mine')).toBe(null);
  });
});
