import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import type { EventPlace } from './contract-file.ts';
import { emitInto } from './emit-event.ts';
import { readEvents } from './read-events.ts';
import { readHats } from './read-hats.ts';

let folder = '';
let place: EventPlace = { eventsFile: '', hat: 'critic', contractFile: null };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-read-'));
  const hats = [makeHat('builder', ['build.task'], ['build.*']), makeHat('critic', ['build.done'], ['review.done'])];
  const contractFile = join(folder, 'contract.json');
  writeFileSync(contractFile, JSON.stringify({ spec: makeSpec({ hats }), workspace: folder }));
  place = { eventsFile: join(folder, 'events.jsonl'), hat: 'critic', contractFile };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (...lines: readonly unknown[]): void =>
  writeFileSync(place.eventsFile, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));

test('what agents published is read, the newest last, by topic or pattern', () => {
  const publish = (topic: string): unknown =>
    emitInto({ topic, payload: `of ${topic}`, json: false }, { ...place, hat: topic === 'review.done' ? 'critic' : 'builder' });
  for (const topic of ['build.done', 'review.done', 'build.again']) publish(topic);
  const read = (topic: string | undefined, last: number): readonly string[] => readEvents(place, topic, last).map((event) => event.topic);
  expect(read(undefined, 50)).toEqual(['build.done', 'review.done', 'build.again']);
  expect(read('build.*', 50)).toEqual(['build.done', 'build.again']);
  expect(read(undefined, 1)).toEqual(['build.again']);
  expect(readEvents(place, 'review.done', 1)).toEqual([{ at: expect.any(Number), topic: 'review.done', payload: 'of review.done' }]);
});

test('what is no event is left out, and what is long is cut', () => {
  write('garbage', '7', { topic: 'no topic' }, { refused: { topic: 'x', why: 'scope' } }, '{"topic":"torn');
  expect(readEvents(place, undefined, 50)).toEqual([]);
  write({ topic: 'a.b', payload: { text: 'x'.repeat(5000) }, target: 7, ts: 'now' }, { by: 'ralph', topic: 'c', payload: '', ts: 5 });
  const [cut, own] = readEvents(place, undefined, 50);
  expect(cut).toMatchObject({ at: null, topic: 'a.b', payload: expect.stringMatching(/^\{"text":"x+ \[cut: 4511 more characters\]$/) });
  expect(own).toEqual({ at: 5, topic: 'c', payload: '' });
});

test('of a long file its end is read, and the newest of many lines', () => {
  write(...Array.from({ length: 30_000 }, (_, index) => ({ topic: 'a', payload: `${index}`.padStart(40, ' '), ts: index })));
  expect(readEvents(place, undefined, 2).map(({ at }) => at)).toEqual([29_998, 29_999]);
});

test('a missing file has no events, and a link in its place is not followed', () => {
  expect(readEvents(place, undefined, 50)).toEqual([]);
  writeFileSync(join(folder, 'secret'), '{"topic":"a"}\n');
  symlinkSync(join(folder, 'secret'), place.eventsFile);
  expect(() => readEvents(place, undefined, 50)).toThrow(/link/);
});

test('hats are listed without what only their own agents are told', () => {
  const [builder] = readHats(place) ?? [];
  expect(builder).toEqual({ id: 'builder', name: 'builder', description: '', triggers: ['build.task'], publishes: ['build.*'] });
  expect(readHats(place)?.map(({ id }) => id)).toEqual(['builder', 'critic']);
  const ralph = { id: 'ralph', publishes: ['build.task', 'build.done', 'task.complete', 'LOOP_COMPLETE'] };
  expect(readHats({ ...place, hat: 'ralph' })?.at(-1)).toMatchObject(ralph);
  expect(readHats({ ...place, contractFile: null })).toBeNull();
});
