import { describe, expect, test } from 'vitest';
import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { Json } from '../core/values/json.ts';
import { hearOnce, parseWorkerWords } from './messages.ts';

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
