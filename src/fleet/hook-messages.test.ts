import { describe, expect, test } from 'vitest';
import type { Json } from '../core/values/json.ts';
import { parseHookTask, parseHookWords } from './hook-messages.ts';

const TOLD = {
  ...{ schema_version: 1, hook_type: 'EventPublish', hook_event_name: 'EventPublish', session_id: '7', orchestrator_id: 'r1' },
  ...{ agent_id: 'builder', timestamp: '2026-11-27T08:00:00.000Z', tool_name: '', tool_use_id: '', tool_input: {} },
  ...{ tool_output: null, tool_is_error: null, cwd: '/w', hat: 'builder', iteration: 7 },
};
const TASK = {
  ...{ kind: 'hook', offer: 'o', cwd: '/w', name: 'check', event: 'EventPublish', timeoutMs: 1000 },
  ...{ handler: { kind: 'shell', line: 'exit 2' }, told: TOLD },
};

describe('the order of a hook', () => {
  test('is read as a hook of the run, with what it is told', () => {
    expect(parseHookTask({ ...TASK, surprise: 1 })).toEqual(TASK);
  });

  test.each<readonly [string, object]>([
    ['of a gate', { kind: 'gate' }],
    ['about a call of a tool', { event: 'PreToolUse', told: { ...TOLD, hook_type: 'PreToolUse' } }],
    ['about nothing that there is', { event: 'Someday' }],
    ['that is told of something else', { told: { ...TOLD, hook_type: 'RunEnd' } }],
    ['that is told nothing', { told: null }],
    ['whose run has no name', { told: { ...TOLD, orchestrator_id: 7 } }],
    ['without a limit of time', { timeoutMs: null }],
    ['that is to take no time', { timeoutMs: 0 }],
    ['that is to take for ever', { timeoutMs: 1e12 }],
    ['that asks nothing', { handler: { kind: 'shell' } }],
  ])('is none where it is one %s', (_, more) => {
    expect(parseHookTask({ ...TASK, ...more } as Json)).toBe(null);
  });
});

describe('the report of a hook', () => {
  const report = (outcome: Json, more: object = {}): unknown =>
    parseHookWords({ kind: 'hook', offer: 'mine', outcome, trouble: '', ...more } as Json, 'mine');

  test.each<Json>([
    { kind: 'answered', answer: { decision: 'deny' } },
    { kind: 'answered', answer: null },
    { kind: 'denied', reason: 'no', answer: null },
    { kind: 'failed', problem: 'it broke', answer: { decision: 'deny' } },
    { kind: 'timed-out', answer: null },
    { kind: 'not-started', problem: 'it is gone' },
    { kind: 'not-started', problem: 'it was changed', isFileChanged: true },
  ])('is the outcome of the hook (%#)', (outcome) => {
    expect(report(outcome)).toEqual({ ran: { outcome }, trouble: '' });
  });

  test.each<Json>([7, {}, { kind: 'allowed' }, { kind: 'denied', answer: null }, { kind: 'failed', problem: 7 }, { kind: 'not-started' }])(
    'is no outcome where it cannot be read (%#)',
    (outcome) => {
      expect(report(outcome)).toEqual({ ran: null, trouble: 'what it reported cannot be read' });
    },
  );

  test('is cut, and shows no control characters', () => {
    expect(report({ kind: 'denied', reason: `\u001b[31m${'x'.repeat(9000)}`, answer: null })).toMatchObject({
      ran: { outcome: { reason: expect.stringMatching(/^[^\p{Cc}]{1,2000}$/u) } },
    });
    expect(report({ kind: 'answered', answer: 'x'.repeat(17 << 20) })).toMatchObject({ ran: { outcome: { kind: 'failed' } } });
  });

  test('counts for its own offer alone, and says why it could not be asked', () => {
    expect(report(null, { trouble: 'no room' })).toEqual({ ran: null, trouble: 'no room' });
    expect(parseHookWords({ kind: 'hook', offer: 'mine', outcome: null, trouble: '' }, 'another')).toBe(null);
    expect(parseHookWords({ kind: 'gate', offer: 'mine' }, 'mine')).toBe(null);
  });
});
