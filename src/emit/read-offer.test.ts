import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { toContractPath, writeContract } from './contract-file.ts';
import { readOffer } from './read-offer.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-offer-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const HATS = [
  makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task']),
  makeHat('builder', ['build.task'], ['build.*']),
];
const EVENTS = {
  'build.done': { schema: { required: ['files'] } },
  'build.task': { description: 'x' },
  'task.complete': { schema: { type: 'string' } },
};
writeContract(FOLDER, { spec: makeSpec({ hats: HATS, events: EVENTS }) });
const place = (hat: string) => ({ hat, eventsFile: 'x', contractFile: toContractPath(FOLDER) });

describe('what a hat may publish', () => {
  it('is told with the shapes of payloads that a schema holds', () => {
    expect(readOffer(place('builder'))).toEqual({
      hat: 'builder',
      topics: ['build.*'],
      targets: ['planner', 'ralph'],
      shapes: { 'build.done': '{files: any}' },
    });
  });

  it('includes what ends the run for who may', () => {
    expect(readOffer(place('planner'))).toMatchObject({
      topics: ['build.task', 'task.complete', 'LOOP_COMPLETE'],
      shapes: { 'task.complete': 'string' },
    });
  });

  it('is not known without a contract', () => {
    expect(readOffer({ hat: 'x', eventsFile: 'x', contractFile: join(FOLDER, 'none') })).toEqual({
      hat: 'x',
      topics: null,
      targets: [],
      shapes: {},
    });
  });
});
