import { describe, expect, test } from 'vitest';
import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { Json } from '../core/values/json.ts';
import { parseWorkerWords } from './messages.ts';

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
