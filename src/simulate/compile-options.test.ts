import { describe, expect, test } from 'vitest';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import type { Json } from '../core/values/json.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { compileScript } from './compile-options.ts';
import { simulateTeam, traceRun } from './simulate.ts';

const TEAM = makeSpec({
  hats: [
    makeHat('builder', ['task.start', 'task.resume', 'review.rejected'], ['build.done', 'build.blocked']),
    makeHat('critic', ['build.*'], ['review.rejected', 'LOOP_COMPLETE']),
  ],
});

const SURE = { silent: 0, failure: 0 };

test('a list is played in order, round and round, from its beginning in each run', () => {
  const script = { hats: { builder: ['build.blocked', 'build.done'], critic: ['review.rejected', 'review.rejected', 'LOOP_COMPLETE'] } };
  for (const run of [1, 2])
    expect(traceRun(TEAM, run, { ...SURE, script }).turns.map((turn) => turn.said)).toEqual([
      'build.blocked',
      'review.rejected',
      'build.done',
      'review.rejected',
      'build.blocked',
      'LOOP_COMPLETE',
    ]);
});

test('weights say how often, and 0 means never', () => {
  const script = { hats: { builder: ['build.done'], critic: { 'review.rejected': 3, 'task.complete': 1, 'build.done': 0 } } };
  const report = simulateTeam(TEAM, { ...SURE, runs: 2000, script });
  const turns = report.hats.find(({ hat }) => hat === 'critic')?.turns ?? 0;
  expect(turns).toBeGreaterThan(3.7);
  expect(turns).toBeLessThan(4.3);
  expect(report.refused).toEqual([]);
});

test('faults can be scripted, and a scripted hat has no others', () => {
  const script = { hats: { builder: ['(failure)', '(silent)', 'build.done'], critic: ['LOOP_COMPLETE'] } };
  const { turns } = traceRun(TEAM, 1, { silent: 1, failure: 0, script: { hats: { ...script.hats, ralph: ['task.resume'] } } });
  expect(turns.map(({ hat, outcome }) => `${hat} ${outcome}`)).toEqual([
    'builder failed',
    'ralph succeeded',
    'builder silent',
    'builder succeeded',
    'critic succeeded',
  ]);
});

test('a step that the hat may not take is refused, as it would be in a run', () => {
  const report = simulateTeam(TEAM, { runs: 20, script: { hats: { builder: ['ship.it'] } } });
  expect(report.refused[0]).toMatchObject({ hat: 'builder', topic: 'ship.it', why: 'scope', share: 1 });
});

test('a step may name its target', () => {
  const { turns } = traceRun(TEAM, 1, {
    ...SURE,
    script: { hats: { builder: ['build.done@builder', 'build.done'], critic: ['LOOP_COMPLETE'] } },
  });
  expect(turns.map((turn) => turn.hat)).toEqual(['builder', 'builder', 'critic']);
});

describe('a script that cannot be followed is refused with what is wrong in it', () => {
  const CASES: readonly (readonly [string, Json])[] = [
    ['`hats:` is missing', {}],
    ['`hats:` is missing', { hats: [] }],
    ['unknown key "hat"', { hats: {}, hat: {} }],
    ['no hat "bilder". There are: builder, critic, ralph', { hats: { bilder: ['x'] } }],
    ['no hat "__proto__"', JSON.parse('{"hats": {"__proto__": ["x"]}}') as Json],
    ['must be a list of topics', { hats: { builder: 7 } }],
    ['has no step', { hats: { builder: [] } }],
    ['has no step', { hats: { builder: {} } }],
    ['cannot do "no topic!"', { hats: { builder: ['no topic!'] } }],
    ['cannot do null', { hats: { builder: [null] } }],
    ['weight of "build.done"', { hats: { builder: { 'build.done': -1 } } }],
    ['weight of "build.done"', { hats: { builder: { 'build.done': 'often' } } }],
    ['all weights of "builder" are 0', { hats: { builder: { 'build.done': 0 } } }],
    ['names no hat', { hats: { builder: ['build.done@nobody'] } }],
    ['more than 1000 steps', { hats: { builder: Array.from({ length: 1001 }, () => 'x') } }],
  ];
  test.each(CASES)('%s', (message, script) => {
    const refuse = (): unknown => compileScript(script, compileTopology(TEAM));
    expect(refuse).toThrow(message);
    expect(refuse).toThrow(expect.objectContaining({ code: 'simulation-script', exitCode: 2 }));
  });
});
