import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from './fixtures.ts';
import { createJsonlInbox } from './jsonl-inbox.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';

/** An events file and its reader. */
function openEventsFile() {
  const path = join(createTemporaryFolder(), 'events.jsonl');
  return { path, inbox: createJsonlInbox({ fs, path, label: '.agent/events.jsonl' }) };
}

describe('seed 003, step 2: the events file', () => {
  it('reads events from a valid JSONL file', () => {
    const { path, inbox } = openEventsFile();
    writeFileSync(
      path,
      [
        '{"topic":"build.done","payload":"three files","ts":"2026-01-15T10:00:00Z"}',
        '{"topic":"review.rejected","payload":{"missing":["a test"]},"target":"builder","timestamp":1768471200000}',
        '{"topic":"build.note"}',
        '',
      ].join('\n'),
    );
    const { signals, problems } = inbox.read(0, { final: true });
    expect(signals).toEqual([
      { kind: 'event', channel: 'jsonl', topic: 'build.done', payload: 'three files' },
      { kind: 'event', channel: 'jsonl', topic: 'review.rejected', payload: { missing: ['a test'] }, target: 'builder' },
      { kind: 'event', channel: 'jsonl', topic: 'build.note', payload: '' },
    ]);
    expect(problems).toEqual([]);
  });

  it('handles an empty file gracefully, and one that is not there', () => {
    const { path, inbox } = openEventsFile();
    const nothing = { signals: [], problems: [], offset: 0 };
    expect([inbox.end(), inbox.read(0, { final: true })]).toEqual([0, nothing]);
    writeFileSync(path, '');
    expect([inbox.end(), inbox.read(0, { final: false }), inbox.read(0, { final: true })]).toEqual([0, nothing, nothing]);
    appendFileSync(path, '{"topic":"a"}\n');
    expect(inbox.read(0, { final: true }).signals).toMatchObject([{ topic: 'a' }]);
  });

  it('skips invalid JSON lines with a warning, and takes the others', () => {
    const { path, inbox } = openEventsFile();
    writeFileSync(path, '{"topic":"a"}\n{"topic": broken\n{"topic":"b"}\n');
    const { signals, problems } = inbox.read(0, { final: true });
    expect(signals.map((signal) => signal.topic)).toEqual(['a', 'b']);
    expect(problems).toEqual([{ where: '.agent/events.jsonl:2', message: 'not valid JSON', excerpt: '{"topic": broken' }]);
  });

  it('tracks its position correctly across multiple reads', () => {
    const { path, inbox } = openEventsFile();
    const topics: string[][] = [];
    let offset = 0;
    for (const appended of ['{"topic":"a"}\n{"topic":"b"}\n', '', '{"topic":"c"}\n', 'nonsense\n', '{"topic":"a"}\n']) {
      appendFileSync(path, appended);
      const batch = inbox.read(offset, { final: true });
      offset = batch.offset;
      topics.push(batch.signals.map((signal) => signal.topic));
    }
    expect(topics).toEqual([['a', 'b'], [], ['c'], [], ['a']]);
    expect(inbox.read(offset, { final: true })).toEqual({ signals: [], problems: [], offset });
  });
});
