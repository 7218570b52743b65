import { expect, it } from 'vitest';
import type { PayloadCheck, Signal } from '../../core/index.ts';
import { judgePayloads } from './judge-payloads.ts';

const SIGNALS: readonly Signal[] = [
  { kind: 'event', channel: 'jsonl', topic: 'a', payload: '{"n":1}' },
  { kind: 'event', channel: 'text', topic: 'b', payload: 'x' },
  { kind: 'promise', channel: 'text' },
  { kind: 'transition', hat: 'a' },
];

const check: PayloadCheck = (topic) => (topic === 'a' ? { payload: { n: 1 } } : { problem: 'payload is string' });

it('writes the verdict on each event, and takes the payload as its schema sees it', () => {
  expect(judgePayloads(SIGNALS, check)).toEqual([
    { kind: 'event', channel: 'jsonl', topic: 'a', payload: { n: 1 } },
    { kind: 'event', channel: 'text', topic: 'b', payload: 'x', payloadProblem: 'payload is string' },
    SIGNALS[2],
    SIGNALS[3],
  ]);
});

it('leaves signals alone where nothing is checked', () => {
  expect(judgePayloads(SIGNALS, undefined)).toBe(SIGNALS);
});
