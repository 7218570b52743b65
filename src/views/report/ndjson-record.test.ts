import { describe, expect, it } from 'vitest';
import { completedRun } from '../fixtures.ts';
import { toNdjsonEnd, toNdjsonRecord, toNdjsonRun } from './ndjson-record.ts';

describe('ndjson records', () => {
  it('have version, kind and time on every line', () => {
    for (const record of completedRun().records) {
      expect(toNdjsonRecord(record, 5)).toMatchObject({
        v: 1,
        kind: record.kind,
        at: expect.any(Number),
        type: expect.any(String),
        seq: expect.any(Number),
      });
    }
  });

  it('put the fields of an effect beside its type', () => {
    const record = { kind: 'effect', seq: 4, at: 9, effect: { type: 'run-end', reason: 'completed', detail: 'done' } } as const;
    expect(toNdjsonRecord(record, 5)).toEqual({
      v: 1,
      kind: 'effect',
      seq: 4,
      at: 9,
      type: 'run-end',
      reason: 'completed',
      detail: 'done',
    });
  });

  it('give a live event the time at which it was seen', () => {
    const record = { kind: 'live', iteration: 2, attempt: 1, hat: 'builder', event: { type: 'text', text: 'hi' } } as const;
    expect(toNdjsonRecord(record, 77)).toEqual({
      v: 1,
      kind: 'live',
      at: 77,
      iteration: 2,
      attempt: 1,
      hat: 'builder',
      type: 'text',
      text: 'hi',
    });
    expect(toNdjsonRecord({ kind: 'gate-output', gate: 0, line: 'ok' }, 78)).toEqual({
      v: 1,
      kind: 'live',
      at: 78,
      type: 'gate-output',
      gate: 0,
      line: 'ok',
    });
  });

  it('begin with the run and end with its end', () => {
    expect(toNdjsonRun({ runId: 'r', runFolder: '/x', workspace: '/y', version: '1' }, 3)).toMatchObject({
      v: 1,
      kind: 'run',
      at: 3,
      runId: 'r',
    });
    expect(toNdjsonEnd({ runId: 'r', reason: 'max_cost', detail: '', exitCode: 2, proof: null }, 4)).toMatchObject({
      v: 1,
      kind: 'end',
      at: 4,
      reason: 'max_cost',
      exitCode: 2,
    });
  });
});
