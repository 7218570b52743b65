import { describe, expect, it } from 'vitest';
import type { HatSpec, RunSpec } from '../../core/run/run-spec.ts';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { checkDefaultCircles } from './check-default-circles.ts';
import { askRule } from './rule-fixtures.ts';

const find = (hats: readonly HatSpec[], changes: Partial<RunSpec> = {}): readonly string[] =>
  askRule(checkDefaultCircles, makeSpec({ hats, ...changes })).map(({ code, hats: ids = [] }) => `${code} ${ids.join('+')}`);
const hat = (id: string, triggers: readonly string[], publishes: readonly string[], more: Partial<HatSpec> = {}): HatSpec =>
  makeHat(id, triggers, publishes, { defaultPublishes: publishes.slice(0, 1), ...more });

describe('default-circle', () => {
  it.each(['ralph', 'hats'] as const)('finds hats that call each other by their defaults, under %s', (coordinator) => {
    const hats = [hat('a', ['task.start', 'go.a'], ['go.b']), hat('b', ['go.b'], ['go.a'])];
    expect(find(hats, { coordinator })).toEqual(['default-circle a+b']);
  });

  it('finds a hat that calls itself, and a circle of several', () => {
    const ring = ['x', 'y', 'z'].map((id, at) => hat(id, [`go.${id}`], [`go.${['y', 'z', 'x'][at]}`]));
    expect(find([hat('own', ['again'], ['again']), ...ring])).toEqual(['default-circle own', 'default-circle x+y+z']);
  });

  it.each([
    [
      'a topic that another hat takes',
      [hat('a', ['go.a'], ['go.b', 'done']), hat('b', ['go.b'], ['go.a']), makeHat('c', ['done'], [])],
      {},
    ],
    ['a topic that goes to Ralph', [hat('a', ['go.a'], ['go.b', 'done']), hat('b', ['go.b'], ['go.a'])], {}],
    ['a terminal event', [hat('a', ['go.a'], ['go.b', 'done']), hat('b', ['go.b'], ['go.a'])], { terminalEvents: ['done'] }],
    ['the promise', [hat('a', ['go.a'], ['go.b', 'LOOP_COMPLETE']), hat('b', ['go.b'], ['go.a'])], {}],
    ['max_activations', [hat('a', ['go.a'], ['go.b'], { maxActivations: 5 }), hat('b', ['go.b'], ['go.a'])], {}],
    ['a hat without a default', [hat('a', ['go.a'], ['go.b']), makeHat('b', ['go.b'], ['go.a'])], {}],
  ])('says nothing where there is a way out: %s', (_name, hats, changes) => {
    expect(find(hats, { coordinator: 'ralph', ...changes })).toEqual([]);
  });
});
