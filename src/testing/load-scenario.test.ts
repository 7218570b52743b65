import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadScenario, readScenario } from './load-scenario.ts';

const MINIMAL = { name: 'x', iterations: [], expect: {} };

function findingsOf(value: unknown): string {
  try {
    readScenario(value, 'test.yml');
  } catch (error) {
    return (error as Error).message;
  }
  return 'no finding';
}

describe('readScenario', () => {
  it('takes the least that a scenario can be', () => {
    expect(readScenario(MINIMAL, 'test.yml')).toEqual(MINIMAL);
  });

  it('names an unknown key with its path, at the top and below', () => {
    expect(findingsOf({ ...MINIMAL, promt: 'x' })).toContain('promt: there is no such key');
    expect(findingsOf({ ...MINIMAL, iterations: [{}, { outptu: 'x' }] })).toContain('iterations[1].outptu: there is no such key');
    expect(findingsOf({ ...MINIMAL, expect: { turns: [{ turn: 1, prompt: 'x' }] } })).toContain(
      'expect.turns[0].prompt: there is no such key',
    );
    expect(findingsOf({ ...MINIMAL, steps: [{ resume: { acceptChanges: true } }] })).toContain(
      'steps[0].resume.acceptChanges: there is no such key',
    );
  });

  it('names an unknown key where several forms are possible', () => {
    expect(findingsOf({ ...MINIMAL, iterations: [{ events: [{ topic: 'a', payloda: 1 }] }] })).toContain(
      'iterations[0].events[0].payloda: there is no such key',
    );
    expect(findingsOf({ ...MINIMAL, expect: [{}, { events: [{ topic: 'a', form: 'b' }] }] })).toContain(
      'expect[1].events[0].form: there is no such key',
    );
  });

  it('tells all findings, each on its line', () => {
    const text = findingsOf({ iterations: [{ exit: 'one' }], expect: { reason: 'done' } });
    expect(text).toContain('\n  name: ');
    expect(text).toContain('\n  iterations[0].exit: expected number, received string');
    expect(text).toContain('\n  expect.reason: ');
  });

  it('refuses paths that lead out of the workspace', () => {
    for (const path of ['/etc/passwd', '../x', 'a/../../x', '']) {
      expect(findingsOf({ ...MINIMAL, files: { [path]: 'x' } })).toContain('files');
    }
  });

  it('refuses a step with no key or with two, and an arrow that leads nowhere', () => {
    expect(findingsOf({ ...MINIMAL, steps: [{}] })).toContain('steps[0]: must have exactly one key');
    expect(findingsOf({ ...MINIMAL, steps: [{ resume: {}, run: {} }] })).toContain('steps[0]: must have exactly one key');
    expect(findingsOf({ ...MINIMAL, expect: { events: ['a -> b'] } })).toContain('expect.events[0]: must be a topic, or three parts');
  });

  it('says what it got instead of a scenario', () => {
    expect(findingsOf(null)).toContain('test.yml is no scenario');
    expect(findingsOf('text')).toContain('the scenario: expected object, received string');
  });
});

describe('loadScenario', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-load-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('reads a file', () => {
    const path = write('good.yml', 'name: good\niterations:\n  - { output: hi, times: always }\nexpect: { reason: completed }\n');
    expect(loadScenario(path).iterations).toEqual([{ output: 'hi', times: 'always' }]);
  });

  it('tells the place of what is no YAML', () => {
    const path = write('bad.yml', 'name: bad\niterations: [\n');
    expect(() => loadScenario(path)).toThrow(/cannot be read as YAML/);
  });

  it('names the file whose contents are no scenario', () => {
    const path = write('wrong.yml', 'name: wrong\n');
    expect(() => loadScenario(path)).toThrow(/wrong\.yml is no scenario:\n {2}iterations: .*\n {2}expect: /);
  });
});
