import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import { type NdjsonRecord, toNdjsonEnd, toNdjsonRun } from '../views/report/ndjson-record.ts';
import { createRecordStream, type RecordStream } from './record-stream.ts';

const FIRST = toNdjsonRun({ runId: 'r', runFolder: '/f', workspace: '/w', version: '1' }, 1);
const LAST = toNdjsonEnd({ runId: 'r', reason: 'completed', detail: '', exitCode: 0, proof: null }, 9);
const TURN = { iteration: 1, attempt: 1, hat: 'ralph' };

/** A run whose journal is a list; some records are read from it at a time. */
function createRun(patienceMs?: number) {
  const stream = createRecordStream(patienceMs);
  const journal: RunRecord[] = [];
  const open = () => {
    let next = 0;
    let seq = 0;
    const read = () => {
      const some = journal.slice(next, next + 3);
      next += some.length;
      for (const record of some) if (record.kind === 'input') ({ seq } = record);
      return some;
    };
    return { read, seq: () => seq };
  };
  const input = (seq: number): void => {
    const record: RunRecord = { kind: 'input', seq, input: { type: 'timer-fired', at: seq, timer: seq } };
    journal.push(record);
    stream.observe(record);
  };
  const say = (text: string): void => stream.observe({ kind: 'live', ...TURN, event: { type: 'text', text } });
  return { stream, input, say, begin: () => stream.begin(FIRST, open), end: () => stream.finish(LAST) };
}

const toShown = (record: NdjsonRecord): string => {
  if (record.kind === 'input') return `#${record.seq}`;
  if (record.kind === 'live' && record.type === 'text') return record.text;
  if (record.kind === 'live' && record.type === 'left-out') return `left out ${record.records}`;
  return record.kind;
};

async function readAll(stream: RecordStream, waitMs?: number): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const record of stream.iterate()) {
    seen.push(toShown(record));
    if (waitMs !== undefined) await pause(waitMs);
  }
  return seen;
}

describe('the records of a run', () => {
  it('come in order, whatever was said before anybody read', async () => {
    const { stream, input, say, begin, end } = createRun();
    input(1);
    say('a');
    begin();
    const reading = readAll(stream);
    say('b');
    input(2);
    say('c');
    await pause(1);
    end();
    expect(await reading).toEqual(['run', '#1', 'a', 'b', '#2', 'c', 'end']);
  });

  it('are there for a second reader and after the end, but for what was said before', async () => {
    const { stream, input, say, begin, end } = createRun();
    begin();
    const first = readAll(stream);
    input(1);
    say('a');
    await pause(1);
    const second = readAll(stream);
    await pause(1);
    say('b');
    end();
    expect(await first).toEqual(['run', '#1', 'a', 'b', 'end']);
    expect(await second).toEqual(['run', '#1', 'b', 'end']);
    expect(await readAll(stream)).toEqual(['run', '#1', 'end']);
  });

  it('keep their order for any mixture, at any pace', async () => {
    const law = fc.asyncProperty(fc.array(fc.constantFrom('input', 'say', 'pause')), fc.boolean(), async (steps, isSlow) => {
      const { stream, input, say, begin, end } = createRun();
      begin();
      const reading = readAll(stream, isSlow ? 0 : undefined);
      const told: string[] = [];
      let seq = 0;
      for (const [index, step] of steps.entries()) {
        if (step === 'input') input(++seq);
        else if (step === 'say') say(`s${index}`);
        else await pause(0);
        if (step !== 'pause') told.push(step === 'input' ? `#${seq}` : `s${index}`);
      }
      end();
      expect(await reading).toEqual(['run', ...told, 'end']);
    });
    await fc.assert(law, { numRuns: propertyRuns(50) });
  });

  it('let the agent wait for a reader that is behind, until it has caught up', async () => {
    const { stream, say, begin, end } = createRun();
    begin();
    const iterator = stream.iterate();
    await iterator.next();
    for (let count = 0; count < 12; count += 1) say('x'.repeat(100_000));
    const room = stream.backpressure();
    expect(room).not.toBeNull();
    let isReleased = false;
    void room?.then(() => {
      isReleased = true;
    });
    await iterator.next();
    await pause(1);
    expect(isReleased).toBe(false);
    for (let count = 0; count < 9; count += 1) await iterator.next();
    await pause(1);
    expect(isReleased).toBe(false);
    await iterator.next();
    await pause(1);
    expect([isReleased, stream.backpressure()]).toEqual([true, null]);
    end();
  });

  it('leave out what cannot wait, and say how much', async () => {
    const { stream, say, input, begin, end } = createRun();
    begin();
    const iterator = stream.iterate();
    await iterator.next();
    for (let count = 0; count < 30; count += 1) say('x'.repeat(100_000));
    input(1);
    end();
    const rest: string[] = [];
    for await (const record of iterator) rest.push(toShown(record).slice(0, 12));
    expect(rest.filter((shown) => shown.startsWith('xxx'))).toHaveLength(20);
    expect(rest.slice(-3)).toEqual(['#1', 'left out 10', 'end']);
  });

  it('let nobody wait for a reader that left its loop, that failed in it, or that has not begun', async () => {
    const { stream, say, begin } = createRun();
    begin();
    const flood = (): void => {
      for (let count = 0; count < 15; count += 1) say('x'.repeat(100_000));
    };
    flood();
    expect(stream.backpressure()).toBeNull();
    for await (const record of stream.iterate()) if (record.kind === 'live') break;
    flood();
    expect(stream.backpressure()).toBeNull();
    const failing = async (): Promise<void> => {
      for await (const _ of stream.iterate()) {
        flood();
        expect(stream.backpressure()).not.toBeNull();
        throw new Error('mine');
      }
    };
    await expect(failing()).rejects.toThrow('mine');
    expect(stream.backpressure()).toBeNull();
  });

  it('let nobody wait for long for a reader that takes nothing at all', async () => {
    const { stream, say, begin } = createRun(20);
    begin();
    const iterator = stream.iterate();
    await iterator.next();
    for (let count = 0; count < 15; count += 1) say('x'.repeat(100_000));
    const keepAlive = setTimeout(() => undefined, 10_000);
    await stream.backpressure();
    clearTimeout(keepAlive);
    expect(stream.backpressure()).toBeNull();
    expect((await iterator.next()).done).toBe(false);
    expect(stream.backpressure()).not.toBeNull();
  });

  it('let nobody wait any more once the run is to end', async () => {
    const { stream, say, begin } = createRun();
    begin();
    const iterator = stream.iterate();
    await iterator.next();
    for (let count = 0; count < 15; count += 1) say('x'.repeat(100_000));
    const room = stream.backpressure();
    stream.letGo();
    await room;
    expect(stream.backpressure()).toBeNull();
  });

  it('tell the reader what went wrong with the journal, and then end', async () => {
    const stream = createRecordStream();
    const open = () => ({
      read: () => {
        throw new Error('newer');
      },
      seq: () => 0,
    });
    stream.begin(FIRST, open);
    stream.observe({ kind: 'input', seq: 1, input: { type: 'timer-fired', at: 1, timer: 1 } });
    const iterator = stream.iterate();
    await iterator.next();
    await expect(iterator.next()).rejects.toThrow('newer');
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });
});
