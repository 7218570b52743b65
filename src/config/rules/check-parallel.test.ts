import { describe, expect, it } from 'vitest';
import { findingsOf, loadText } from '../config-fixtures.ts';

const toYaml = (loop: string, rest = '', hat = ''): string =>
  `event_loop: {${loop}}\n${rest}\nhats:\n  a:\n    triggers: [x]\n    ${hat}\n  b:\n    triggers: [x]\n`;
const FANOUT = 'routing: fanout, parallel: true';
const specOf = (text: string) => loadText(text).settings?.spec;

describe('parallel', () => {
  it('lets four hats work at the same time, or as many as are said', () => {
    expect(findingsOf(toYaml(FANOUT))).toEqual([]);
    expect(specOf(toYaml(FANOUT))?.maxParallel).toBe(4);
    expect(specOf(toYaml(FANOUT, 'max_parallel: 2'))?.maxParallel).toBe(2);
    expect(specOf(toYaml('routing: fanout'))).not.toHaveProperty('maxParallel');
  });

  it('does nothing without fan-out, and says so', () => {
    expect(findingsOf(toYaml('parallel: true'))).toEqual(['warning parallel-without-fanout true']);
    expect(specOf(toYaml('parallel: true'))).not.toHaveProperty('maxParallel');
    expect(findingsOf(toYaml('routing: fanout', 'max_parallel: 2'))).toEqual(['warning parallel-without-fanout 2']);
    expect(findingsOf(toYaml(FANOUT, 'max_parallel: 1'))).toEqual(['warning parallel-without-fanout 1']);
    expect(findingsOf(toYaml(FANOUT, 'max_parallel: 0'))).toEqual(['error number-invalid 0']);
  });

  it.each([
    ['', 'profile: critic\n    backend: claude'],
    ['', 'sandbox: required'],
    ['', 'panel: {agents: [{id: one}, {id: two}, {id: three}]}'],
    ['sandbox: {mode: required}', ''],
    ['safe: true', ''],
  ])('leaves a hat alone that is held to the folder of the run (%s %s)', (rest, hat) => {
    expect(findingsOf(toYaml(FANOUT, rest, hat))).toContain('hint parallel-alone a');
    expect(specOf(toYaml(FANOUT, rest, hat))?.hats?.[0]).toMatchObject({ alone: true });
  });

  it('lets a native agent share whose profile binds its tools', () => {
    const hat = 'profile: critic\n    backend: {type: native, provider: anthropic, model: m}';
    expect(findingsOf(toYaml(FANOUT, '', hat))).toEqual([]);
    expect(specOf(toYaml(FANOUT, '', hat))?.hats?.[0]).not.toHaveProperty('alone');
  });
});

describe('parallel of a hat', () => {
  it('says how many of its turns work at the same time, each with one event', () => {
    const text = toYaml('prompt: x', '', 'parallel: 3');
    expect(findingsOf(text)).toEqual([]);
    expect(specOf(text)?.hats?.map(({ takes, parallel, alone }) => [takes, parallel, alone])).toEqual([
      ['one', 3, undefined],
      [undefined, undefined, undefined],
    ]);
    expect(specOf(text)).not.toHaveProperty('maxParallel');
    expect(specOf(toYaml('prompt: x', '', 'parallel: 1'))?.hats?.[0]).toMatchObject({ takes: 'one', parallel: 1 });
  });

  it.each(['0', '-1', '65', '1.5', 'many'])('is a finding where it is no whole number of 1 to 64: %s', (value) => {
    expect(findingsOf(toYaml('prompt: x', '', `parallel: ${value}`))).toEqual([`error number-invalid ${value}`]);
  });

  it.each([
    ['', 'profile: critic\n    backend: claude'],
    ['', 'sandbox: required'],
    ['', 'panel: {agents: [{id: one}, {id: two}, {id: three}]}'],
    ['safe: true', ''],
  ])('is told of where something holds the hat to the folder (%s %s)', (rest, hat) => {
    const text = toYaml('prompt: x', rest, `parallel: 2\n    ${hat}`);
    expect(findingsOf(text)).toContain('hint parallel-alone a');
    expect(specOf(text)?.hats?.map(({ alone }) => alone)).toEqual([true, undefined]);
    expect(findingsOf(toYaml('prompt: x', rest, `parallel: 1\n    ${hat}`))).not.toContain('hint parallel-alone a');
  });

  it('is told of where something else says otherwise', () => {
    expect(findingsOf(toYaml('prompt: x', '', 'parallel: 2\n    takes: all'))).toEqual(['warning hat-parallel all']);
    expect(findingsOf(toYaml('prompt: x', '', 'parallel: 2\n    takes: one'))).toEqual([]);
    expect(findingsOf(toYaml(FANOUT, 'max_parallel: 2', 'parallel: 3'))).toEqual(['warning hat-parallel 3']);
    expect(findingsOf(toYaml(FANOUT, 'max_parallel: 3', 'parallel: 3'))).toEqual([]);
  });
});
