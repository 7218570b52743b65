import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { toContractPath, writeContract } from './contract-file.ts';
import { emitInto } from './emit-event.ts';

const HATS = [
  makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task']),
  makeHat('builder', ['build.task'], ['build.done']),
];
const EVENTS = { 'build.done': { schema: { type: 'object', required: ['files'], properties: { files: { type: 'integer' } } } } };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-emit-'));
  writeContract(folder, { spec: makeSpec({ hats: HATS, events: EVENTS }) });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (): string => join(folder, 'events.jsonl');
const emit = (topic: string, payload?: string, json = false): number =>
  emitInto({ topic, payload, json }, { hat: 'builder', eventsFile: file(), contractFile: toContractPath(folder) });

describe('an event of a topic with a schema', () => {
  it.each([
    ['as JSON', true],
    ['as a text that is JSON', false],
  ])('is written as JSON, given %s', (_how, json) => {
    emit('build.done', '{"files": 3}', json);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ topic: 'build.done', payload: { files: 3 } });
  });

  it.each<[string | undefined, string]>([
    ['{"files": "three"}', 'payload.files is string, not integer'],
    ['done', 'payload is string, not object'],
    [undefined, 'payload is string, not object'],
  ])('is refused with the path in the payload, and only the refusal is noted: %j', (payload, what) => {
    expect(() => emit('build.done', payload)).toThrow(expect.objectContaining({ code: 'emit-payload', exitCode: 1 }));
    expect(() => emit('build.done', payload)).toThrow(what);
    const lines = readFileSync(file(), 'utf8').trim().split('\n');
    // Twice: each try is on record, and none is an event.
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(Array(2).fill({ refused: { topic: 'build.done', why: 'payload' } }));
  });

  it('is refused for its topic first, where the hat may not publish that either', () => {
    expect(() => emit('build.task', 'x')).toThrow(expect.objectContaining({ code: 'emit-refused' }));
  });
});

describe('a person who mistypes', () => {
  const emitAs = (hat: string, words: { readonly topic: string; readonly target?: string }) => {
    writeContract(folder, { spec: makeSpec({ hats: HATS }) });
    return () =>
      emitInto(
        { payload: 'x', json: false, ...words },
        {
          hat,
          eventsFile: join(folder, 'outside.jsonl'),
          contractFile: toContractPath(folder),
          sender: { pid: 7, user: 'ann', how: 'terminal' },
        },
      );
  };

  it('a topic is told which one is near, and which there are, in words for a person', () => {
    expect(emitAs('external', { topic: 'biuld.done' })).toThrow(
      expect.objectContaining({
        code: 'emit-refused',
        message: 'No hat takes biuld.done, so it was not published.',
        fix: expect.stringMatching(/^Did you mean build\.done\?\nTopics of this run: .*build\.task/),
      }),
    );
    expect(emitAs('external', { topic: 'nothing.near.it' })).toThrow(
      expect.objectContaining({ fix: expect.stringMatching(/^Topics of this run: /) }),
    );
  });

  it('a hat is told which one is near', () => {
    expect(emitAs('external', { topic: 'build.task', target: 'biulder' })).toThrow(
      expect.objectContaining({ fix: expect.stringContaining('Did you mean builder?') }),
    );
  });
});

describe('an events file behind a link that an agent made', () => {
  it('is left alone where the contract says in which folder the run works', () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(join(folder, 'work'));
    writeFileSync(join(elsewhere, 'events.jsonl'), '');
    symlinkSync(elsewhere, join(folder, 'work/.agent'));
    writeContract(folder, { spec: makeSpec({ hats: HATS }), workspace: join(folder, 'work') });
    const place = { hat: 'builder', eventsFile: join(folder, 'work/.agent/events.jsonl'), contractFile: toContractPath(folder) };
    expect(() => emitInto({ topic: 'build.done', payload: 'x', json: false }, place)).toThrow(
      expect.objectContaining({ code: 'events-file-not-a-file' }),
    );
    expect(readFileSync(join(elsewhere, 'events.jsonl'), 'utf8')).toBe('');
  });
});
