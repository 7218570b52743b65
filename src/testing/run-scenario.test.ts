import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ScenarioResult } from './check-scenario.ts';
import { createAheadRunner, defineScenarioSuite } from './run-scenario.ts';

/** A stage manager whose plays end when the test says so. */
function createManual() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (file: string): Promise<ScenarioResult> => {
    begun.push(file);
    return new Promise((resolve) => ends.set(file, () => resolve({ folder: file } as ScenarioResult)));
  };
  const end = async (file: string): Promise<void> => {
    ends.get(file)?.();
    await settle();
  };
  return { begun, run, end };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('createAheadRunner', () => {
  it('plays no more at a time than it has lanes, in order', async () => {
    const { begun, run, end } = createManual();
    const ahead = createAheadRunner(2, run);
    const first = ahead.run('a', ['b', 'c', 'd']);
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    expect((await first).folder).toBe('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('plays what is wanted before what was only expected to be', async () => {
    const { begun, run, end } = createManual();
    const ahead = createAheadRunner(1, run);
    void ahead.run('a', ['b', 'c']);
    const wanted = ahead.run('c', []);
    await settle();
    await end('a');
    expect(begun).toEqual(['a', 'c']);
    await end('c');
    expect((await wanted).folder).toBe('c');
  });

  it('plays each file once, and goes on after one that could not be played', async () => {
    let plays = 0;
    const ahead = createAheadRunner(1, (file) => {
      plays += 1;
      return file === 'bad' ? Promise.reject(new Error('no such file')) : Promise.resolve({ folder: file } as ScenarioResult);
    });
    await expect(ahead.run('bad', ['good'])).rejects.toThrow('no such file');
    expect((await ahead.run('good', [])).folder).toBe('good');
    expect((await ahead.run('good', ['bad'])).folder).toBe('good');
    expect(plays).toBe(2);
  });

  it('when it is closed begins no more, and waits for what was begun', async () => {
    const { begun, run, end } = createManual();
    const ahead = createAheadRunner(1, run);
    void ahead.run('a', ['b', 'c']);
    await settle();
    let isClosed = false;
    const closed = ahead.close().then(() => {
      isClosed = true;
    });
    await settle();
    expect(isClosed).toBe(false);
    await end('a');
    await closed;
    expect(begun).toEqual(['a']);
  });
});

const folders: string[] = [];

function makeFolder(): string {
  folders.push(mkdtempSync(join(tmpdir(), 'ralph-suite-')));
  return folders.at(-1) as string;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

describe('defineScenarioSuite', () => {
  it('defines one test for each scenario file, in order, under the name of the folder', () => {
    const folder = makeFolder();
    for (const name of ['b.yml', 'a.yaml', 'notes.md', 'c.test.ts']) writeFileSync(join(folder, name), '');
    const defined: string[] = [];
    const runner = {
      describe: (name: string, body: () => void) => [defined.push(name), body()],
      test: (name: string) => defined.push(name),
    };
    defineScenarioSuite(folder, runner);
    expect(defined[0]).toMatch(/^ralph-suite-/);
    expect(defined.slice(1)).toEqual(['a.yaml', 'b.yml']);
  });

  it('fails the test of a file that is no scenario', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'bad.yml'), 'name: bad\nexpct: {}\n');
    const tests: (() => Promise<void>)[] = [];
    defineScenarioSuite(folder, { describe: (_, body) => body(), test: (_, body) => tests.push(body) });
    await expect(tests[0]?.()).rejects.toThrow(/expct: there is no such key/);
  });
});
