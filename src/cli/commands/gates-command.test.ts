import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as app from '../../app/index.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext } from '../fixtures.ts';

let cwd = '';

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-gates-command-'));
});

afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

async function type(config: string, ...args: readonly string[]) {
  writeFileSync(join(cwd, 'ralph.yml'), config);
  const fake = createFakeContext({ env: { PATH: process.env['PATH'] ?? '' } });
  const exitCode = await performCommandLine(['gates', ...args], { ...fake.context, cwd, loadApp: async () => app });
  return { exitCode, out: fake.out(), err: fake.err() };
}

const GATES = `
gates:
  - { name: unit, run: echo one; exit 0 }
  - { run: echo two; exit 3, on: [build.done], hats: [builder] }
  - { name: style, run: 'false', required: false }
protect: [ci]
hats:
  builder: { triggers: [build.task], publishes: [build.done] }
`;

describe('ralph gates', () => {
  it('lists each with its command and what it guards', async () => {
    const { out, exitCode } = await type(GATES);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^1 +unit: echo one; exit 0 +task\.complete +yes +-$/m);
    expect(out).toMatch(/^2 +echo two; exit 3 +build\.done of builder +yes +-$/m);
    expect(out).toMatch(/^3 +style: false +task\.complete +no +-$/m);
    expect(out).toMatch(/^4 +protected files: ci +task\.complete +yes +-$/m);
    expect(out).toContain('No run has run them yet.');
  });

  it('tells of globs that name no file', async () => {
    const configured = 'gates: [{ name: docs, run: ./check, only_if: [dosc] }]';
    expect((await type(configured)).out).toContain('only_if of gate "docs" ("dosc")');
    expect(JSON.parse((await type(configured, '--format', 'json')).out)).toMatchObject({ warnings: [expect.stringContaining('"dosc"')] });
  });

  it('says that there are none', async () => {
    expect((await type('name: x')).out).toContain('No gate is configured');
  });

  it('gives programs one object', async () => {
    const { out } = await type(GATES, '--format', 'json');
    expect(JSON.parse(out)).toMatchObject({
      v: 1,
      runId: null,
      gates: [
        { number: 1, name: 'unit', command: 'echo one; exit 0', required: true, evidence: null },
        { number: 2, name: 'echo two; exit 3', hats: ['builder'] },
        { number: 3, required: false },
        { number: 4, command: null, protect: ['ci'] },
      ],
    });
  });

  it('names the command of a check where the files of the project tell it, else says that they do not', async () => {
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts: { test: 'node --test' } }));
    const { out } = await type('gates: [{ run: tests }, { run: lint }]');
    expect(out).toMatch(/^1 +npm test /m);
    expect(out).toContain('lint: the project’s files do not say how');
  });
});

describe('ralph gates --run', () => {
  it('runs all that have a command, and fails with a required one', async () => {
    const { out, exitCode } = await type(GATES, '--run');
    expect(exitCode).toBe(1);
    expect(out).toContain('unit | one');
    expect(out).toMatch(/^passed {2}unit \(exit 0, /m);
    expect(out).toMatch(/^FAILED {2}echo two; exit 3 \(exit 3, /m);
    expect(out).toMatch(/^FAILED {2}style \(exit 1, .*; not required\)$/m);
  });

  it.each([
    ['unit', 0],
    ['1', 0],
    ['style', 0],
    ['echo two; exit 3', 1],
  ])('runs only %s', async (name, expected) => {
    const { out, exitCode } = await type(GATES, '--run', name);
    expect([exitCode, out.match(/^(?:passed|FAILED)/gm)]).toEqual([expected, [expect.any(String)]]);
  });

  it('runs the gate of that name where another has that place', async () => {
    const { out } = await type("gates: [{ name: x, run: 'false' }, { name: '1', run: 'true' }]", '--run', '1');
    expect(out).toMatch(/^passed {2}1 /);
  });

  it('gives programs the results', async () => {
    const { out, exitCode } = await type(GATES, '--run', '2', '--format', 'json');
    expect([exitCode, JSON.parse(out)]).toMatchObject([
      1,
      { v: 1, passed: false, results: [{ gate: 1, exitCode: 3, required: true, outputTail: 'two' }] },
    ]);
  });

  it('says why a gate has no exit code', async () => {
    const { out } = await type('gates: [{ run: sleep 9, timeout_seconds: 0.1 }]', '--run');
    expect(out).toContain('ended because it took longer than 100 ms');
  });

  it('knows no other gates', async () => {
    expect(await type(GATES, '--run', 'unti')).toMatchObject({ exitCode: 2, err: expect.stringContaining('did you mean unit?') });
    expect(await type(GATES, '--run', '9')).toMatchObject({ exitCode: 2 });
    expect(await type(GATES, 'unit')).toMatchObject({ exitCode: 2, err: expect.stringContaining('ralph gates --run unit') });
  });

  it('refuses a configuration that cannot be run', async () => {
    expect(await type('gates: [{ on: [x] }]', '--run')).toMatchObject({ exitCode: 1, err: expect.stringContaining('key-missing') });
  });
});
