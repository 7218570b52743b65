import { describe, expect, test } from 'vitest';
import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import { NO_WORK } from '../core/run/inputs.ts';
import type { Json } from '../core/values/json.ts';
import { parseRoundControl, parseRoundLive, parseRoundTask, parseRoundWords } from './round-messages.ts';

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

const TASK = {
  ...{ kind: 'round', agent: 1, id: 'blue', round: 2, home: '7.1', token: '0123456789abcdef', cwd: '/home/work', prompt: 'Vote' },
  effect: { type: 'iteration-start', iteration: 7, attempt: 1, hat: 'designer', backend: 0 },
  ...{ timeoutMs: 0, idleTimeoutMs: 1000, capBytes: 10, task: 'vote', candidates: ['agent1'], topics: [] },
  works: [{ name: 'agent1', view: '0123456789abcdef', changes: { value: [] } }, { name: 3 }],
  conversations: [
    { round: 1, bytes: 'YQ==' },
    { round: 'x', bytes: '' },
  ],
  resumable: { session: 's-1', prompt: 'Vote now' },
};

describe('the order of a round', () => {
  test('is read, without what is none in it', () => {
    expect(parseRoundTask(asJson(TASK))).toEqual({ ...TASK, works: TASK.works.slice(0, 1), conversations: TASK.conversations.slice(0, 1) });
  });

  test('names no conversation that could be an option of a program', () => {
    const resumable = { session: '--yes', prompt: 'x' };
    expect(parseRoundTask(asJson({ ...TASK, resumable }))).toMatchObject({ round: 2, resumable: null });
  });

  test.each([
    [{ kind: 'gate' }],
    [{ home: '../7.1' }],
    [{ token: '..' }],
    [{ round: -1 }],
    [{ agent: 1e9 }],
    [{ task: 'win' }],
    [{ effect: { ...TASK.effect, hat: 3 } }],
    [{ candidates: 'agent1' }],
    [{ prompt: null }],
  ])('is none with %j', (wrong) => {
    expect(parseRoundTask(asJson({ ...TASK, ...wrong }))).toBe(null);
  });
});

describe('what a worker reports of a round', () => {
  const RESULT = { ...NO_WORK, status: 'succeeded', failure: null, logError: null };
  const END = { kind: 'round', result: RESULT, said: 'Done', changes: null, files: [{ name: '../x', bytes: '' }], found: 'a\u001b[31m' };

  test('is its end, with what can be said of it and no more', () => {
    const words = parseRoundWords(asJson({ ...END, result: { ...RESULT, leftovers: 3, logError: 'ENOSPC', sessionId: 'x' } }));
    // What happened to the disk of a worker is no trouble of the run's, and its processes are nothing that could be ended here.
    expect(words).toMatchObject({ result: { status: 'succeeded', leftovers: 0, logError: null, sessionId: null }, files: [] });
    expect(words?.kind === 'round' && words.found).not.toContain('\u001b');
  });

  test.each([
    [{ result: { ...RESULT, status: 'won' } }],
    [{ result: { ...RESULT, status: 'failed' } }],
    [{ result: { ...RESULT, status: 'failed', failure: { class: 'bad luck', message: 'x' } } }],
    [{ result: { ...RESULT, usage: { ...UNKNOWN_USAGE, costUsd: -1 } } }],
    [{ result: { ...RESULT, usage: {} } }],
    [{ said: 3 }],
  ])('is no end with %j', (wrong) => {
    expect(parseRoundWords(asJson({ ...END, ...wrong }))).toBe(null);
  });

  test('is what its agent hands in, with a call', () => {
    const handIn = { kind: 'answer', content: 'Mine', topic: 'done' };
    expect(parseRoundWords(asJson({ kind: 'round-hand-in', call: 1, handIn, changes: { value: [] } }))).toMatchObject({ call: 1, handIn });
    expect(parseRoundWords(asJson({ kind: 'round-hand-in', handIn }))).toBe(null);
    expect(parseRoundWords(asJson({ kind: 'round-hand-in', call: 1, handIn: { kind: 'vote', target: 'agent1' } }))).toBe(null);
  });

  test('is what the run has to know of the stream, and nothing that would be taken for more', () => {
    const told = (event: object) => {
      const words = parseRoundWords(asJson({ kind: 'round-told', event }));
      return words?.kind === 'round-told' ? words.event : null;
    };
    // Nothing here may be ended by a number that a worker says.
    expect(told({ type: 'started', pid: 1, processStart: '5', argv: ['x'], worker: 'another' })).toEqual({
      ...{ type: 'started', pid: null, processStart: null, argv: [] },
    });
    expect(told({ type: 'warning', message: 'x'.repeat(5000) })).toMatchObject({ type: 'warning', message: 'x'.repeat(2000) });
    expect(told({ type: 'injected', ids: ['1.1.1'], call: 3 })).toEqual({ type: 'injected', ids: ['1.1.1'], call: 3 });
    expect(told({ type: 'tool-denied', denial: { tool: 'Bash', layer: 'os', reason: 'no' } })).toMatchObject({ denial: { tool: 'Bash' } });
    const hook = { name: 'h', event: 'PreToolUse', decision: 'deny', reason: 'no', error: null, ms: 3, preview: '', tool: 'Bash' };
    expect(told({ type: 'hook-ran', hook })).toMatchObject({ hook });
    expect([told({ type: 'hook-ran', hook: { ...hook, event: 'Never' } }), told({ type: 'text', text: 'x' })]).toEqual([null, null]);
    expect(told({ type: 'tool-denied', denial: { tool: 'Bash', layer: 'moon', reason: 'no' } })).toBe(null);
  });

  test('passes by as what it has used, and that it lives', () => {
    const usage = { ...UNKNOWN_USAGE, costUsd: 0.5 };
    expect(parseRoundLive(asJson({ event: { type: 'usage', usage } }))).toEqual({ type: 'usage', usage });
    expect(parseRoundLive(asJson({ event: { type: 'alive', more: 1 } }))).toEqual({ type: 'alive' });
    expect(parseRoundLive(asJson({ event: { type: 'usage', usage: { costUsd: 'all' } } }))).toBe(null);
    expect(parseRoundLive('x')).toBe(null);
  });
});

test('what the run says to a worker is read, and all else is for nobody', () => {
  const tell = { type: 'round-tell', words: { id: '1.1.1', text: 'News', by: 'somebody', isNews: false }, works: null };
  expect(parseRoundControl(asJson(tell))).toEqual({ ...tell, words: { id: '1.1.1', text: 'News', by: '', isNews: true } });
  expect(parseRoundControl({ type: 'round-reply', call: 2, isAccepted: 'yes', text: 'no' })).toMatchObject({ call: 2, isAccepted: false });
  expect(parseRoundControl({ type: 'round-stop', graceMs: -3 })).toEqual({ type: 'round-stop', graceMs: 0 });
  expect(parseRoundControl({ type: 'round-finish' })).toEqual({ type: 'round-finish' });
  expect([parseRoundControl({ type: 'iteration-stop' }), parseRoundControl({ type: 'round-reply', text: 'x' })]).toEqual([null, null]);
});
