import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GateResult } from '../core/gates/gate-result.ts';
import type { GateSpec } from '../core/gates/gate-spec.ts';
import type { GateRunner } from '../ports/gate-runner.ts';
import type { TreeReader } from '../ports/tree-reader.ts';
import { createGateRunner } from './create-gate-runner.ts';
import type { GateRunnerSettings } from './gate-contract.ts';
import { toStartScopes } from './gate-scope.ts';

const env = { PATH: process.env['PATH'] };
let cwd = '';
let evidenceDir = '';

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-evidence-'));
  evidenceDir = join(cwd, '.ralph', 'evidence');
});

afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

/** The files of the workspace itself, without folders. */
const tree: TreeReader = {
  read: async () => {
    const names = readdirSync(cwd, { withFileTypes: true }).filter((entry) => entry.isFile());
    const files = new Map(names.map(({ name }) => [name, toHash(readFileSync(join(cwd, name), 'utf8'))]));
    return { hash: toHash(JSON.stringify([...files])), files };
  },
};

function toHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function write(name: string, text = ''): void {
  writeFileSync(join(cwd, name), text);
}

function open(settings: Partial<GateRunnerSettings> = {}): GateRunner {
  return createGateRunner({ cwd, env, tree, evidenceDir, ...settings });
}

async function ask(
  runner: GateRunner,
  ...gates: readonly (Partial<GateSpec> & { readonly run: string })[]
): Promise<readonly GateResult[]> {
  const orders = gates.map((spec, gate) => ({ gate, spec: { on: ['task.complete'], timeoutMs: 10_000, ...spec } }));
  return runner.run(orders, new AbortController().signal, () => undefined);
}

/** A gate that leaves a line each time it really runs, in a folder that is no part of the files. */
const COUNTED = 'mkdir -p .ralph; echo x >> .ralph/runs';
function runs(): number {
  try {
    return readFileSync(join(cwd, '.ralph', 'runs'), 'utf8').length / 2;
  } catch {
    return 0;
  }
}

describe('the evidence of a gate', () => {
  it('is a record with the command, the files, the exit, the time and the hash of its whole output', async () => {
    write('a', '1');
    const [result] = await ask(open(), { run: 'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done; exit 3', name: 'tests' });
    const log = readFileSync(join(evidenceDir, '1.log'), 'utf8');
    expect([log.split('\n')[0], log.split('\n').length]).toEqual(['line 0', 2001]);
    const state = await tree.read();
    expect(result?.evidence).toEqual({
      number: 1,
      treeBefore: state?.hash,
      tree: state?.hash,
      isFresh: true,
      isCached: false,
      attempts: 1,
      outputHash: toHash(log),
      log: '.ralph/evidence/1.log',
      isCut: true,
    });
    expect(JSON.parse(readFileSync(join(evidenceDir, '1.json'), 'utf8'))).toMatchObject({
      v: 1,
      number: 1,
      gate: 0,
      name: 'tests',
      passed: false,
      exitCode: 3,
      timedOut: false,
      tree: state?.hash,
      treeChanged: false,
      outputHash: toHash(log),
      outputBytes: log.length,
      output: '1.log',
      attempts: [{ exitCode: 3, timedOut: false }],
    });
  });

  it('is numbered on from what is there already', async () => {
    await ask(open(), { run: 'true' });
    const [result] = await ask(open(), { run: 'true' });
    expect(result?.evidence?.number).toBe(2);
  });

  it('that cannot be written costs the record, not the verdict', async () => {
    write('file');
    const [result] = await ask(open({ evidenceDir: join(cwd, 'file', 'evidence') }), { run: 'true' });
    expect(result).toMatchObject({ passed: true, evidence: { number: null, log: null } });
  });

  it('is about the files after it when it changes some', async () => {
    const [result] = await ask(open(), { run: 'echo new > made' });
    expect(result?.evidence?.tree).toBe((await tree.read())?.hash);
    expect(result?.evidence?.treeBefore).not.toBe(result?.evidence?.tree);
  });

  it('is stale when another gate of the request changes files after it', async () => {
    const results = await ask(open(), { run: 'true', serial: true }, { run: 'echo new > made', serial: true });
    expect(results.map((result) => result.evidence?.isFresh)).toEqual([false, true]);
  });
});

describe('a gate that ran while another changed files', () => {
  it('has proved nothing about them, also when it ended after the change; asked again it has', async () => {
    const runner = open();
    const watching = { run: 'touch .ralph/on; until [ -e made ]; do sleep 0.02; done; sleep 0.1' };
    const writing = { run: 'until [ -e .ralph/on ]; do sleep 0.02; done; echo new > made' };
    const first = await ask(runner, watching, writing);
    expect(first.map((result) => result.evidence?.isFresh)).toEqual([false, false]);
    const second = await ask(runner, watching, writing);
    expect(second.map((result) => [result.evidence?.isFresh, result.evidence?.isCached])).toEqual([
      [true, false],
      [true, false],
    ]);
  });
});

describe('a gate that passed', () => {
  it('is not run again while the files are the same', async () => {
    const runner = open();
    await ask(runner, { run: COUNTED });
    const [again] = await ask(runner, { run: COUNTED });
    expect([runs(), again]).toMatchObject([1, { passed: true, evidence: { isCached: true, isFresh: true, number: 1 } }]);
  });

  it('is run again after a change, and not when that is taken back', async () => {
    const runner = open();
    write('a', '1');
    for (const text of ['1', '2', '1', '2']) {
      write('a', text);
      await ask(runner, { run: COUNTED });
    }
    expect(runs()).toBe(2);
  });

  it('is run again where its pass is not to be kept, and where the files cannot be told', async () => {
    const kept = open();
    for (const _ of [1, 2]) await ask(kept, { run: COUNTED, cache: false });
    const blind = open({ tree: { read: async () => null } });
    for (const _ of [1, 2]) await ask(blind, { run: COUNTED });
    expect(runs()).toBe(4);
  });

  it('under another name is the same', async () => {
    const runner = open();
    await ask(runner, { run: COUNTED, name: 'one' });
    const [again] = await ask(runner, { run: COUNTED });
    expect([runs(), again?.name, again?.evidence?.isCached]).toEqual([1, undefined, true]);
  });

  it('is asked once by two requests at the same time', async () => {
    const runner = open();
    await Promise.all([ask(runner, { run: `sleep 0.2; ${COUNTED}` }), ask(runner, { run: `sleep 0.2; ${COUNTED}` })]);
    expect(runs()).toBe(1);
  });
});

describe('a gate that failed', () => {
  it('is run again on the same files: what was missing may lie elsewhere', async () => {
    const runner = open();
    for (const _ of [1, 2]) await ask(runner, { run: `${COUNTED}; false` });
    expect(runs()).toBe(2);
  });

  it('is tried again as often as it may, and the try that passed is told', async () => {
    const [result] = await ask(open(), { run: `${COUNTED}; test $(wc -l < .ralph/runs) -ge 3`, retries: 3 });
    expect([runs(), result]).toMatchObject([3, { passed: true, evidence: { attempts: 3 } }]);
    expect(readFileSync(join(evidenceDir, '1.log'), 'utf8')).toContain('[try 2 of 4]');
  });

  it('has failed when every try did', async () => {
    const [result] = await ask(open(), { run: `${COUNTED}; false`, retries: 1 });
    expect([runs(), result]).toMatchObject([2, { passed: false, evidence: { attempts: 2 } }]);
  });
});

describe('a gate with only_if', () => {
  const onlyIf = ['docs*'];

  it('is not run before something that it is about has changed since the start, and then once for each state', async () => {
    write('docs', '1');
    write('code', '1');
    const startScopes = await toStartScopes(await tree.read(), [{ on: [], run: '', timeoutMs: 0, onlyIf }]);
    const runner = open({ startScopes });
    write('code', '2');
    const [first] = await ask(runner, { run: COUNTED, onlyIf });
    expect([runs(), first]).toMatchObject([0, { passed: true, skipped: true, exitCode: null }]);
    write('docs', '2');
    await ask(runner, { run: COUNTED, onlyIf });
    write('code', '3');
    await ask(runner, { run: COUNTED, onlyIf });
    expect(runs()).toBe(1);
  });

  it('is run when nobody knows how it was at the start', async () => {
    await ask(open(), { run: COUNTED, onlyIf });
    expect(runs()).toBe(1);
  });
});

describe('a gate on a check', () => {
  it('runs what the files say now', async () => {
    const [result] = await ask(open({ findCheck: (check) => `echo ${check} are run` }), { run: 'tests', check: 'tests' });
    expect(result).toMatchObject({ passed: true, command: 'echo tests are run', outputTail: 'tests are run' });
  });

  it('fails with advice where they say nothing', async () => {
    const [result] = await ask(open({ findCheck: () => null }), { run: 'lint', check: 'lint' });
    expect(result).toMatchObject({ passed: false, exitCode: null });
    expect(result?.outputTail).toContain('do not say how its lint is done');
  });
});

describe('several gates', () => {
  it('run at once as far as they may, and their lines stay apart', async () => {
    const lines: string[] = [];
    const orders = [
      'touch one; until [ -e two ]; do sleep 0.02; done; echo a',
      'until [ -e one ]; do sleep 0.02; done; touch two; echo b',
    ].map((run, gate) => ({ gate, spec: { on: [], run, timeoutMs: 10_000 } }));
    const results = await open().run(orders, new AbortController().signal, (gate, line) => lines.push(`${gate}: ${line}`));
    expect(results.map((result) => result.passed)).toEqual([true, true]);
    expect(lines.sort()).toEqual(['0: a', '1: b']);
  });

  it('do not run beside one that is to be alone', async () => {
    const busy = 'test ! -e busy; touch busy; sleep 0.1; rm busy';
    const results = await ask(open(), { run: busy, serial: true }, { run: `${busy} `, serial: true }, { run: 'test ! -e busy' });
    expect(results.map((result) => result.passed)).toEqual([true, true, true]);
  });
});

describe('the gate on protected files', () => {
  const protect = ['x'];

  it('is judged last, and fails with what is wrong with them', async () => {
    let isChanged = false;
    const checkProtected = async (): Promise<string> => (isChanged ? 'changed: x\n-a\n+b' : '');
    const runner = open({ checkProtected });
    const [passed] = await ask(runner, { run: 'protect: x', protect });
    isChanged = true;
    const [failed] = await ask(runner, { run: 'protect: x', protect, name: 'protected files' });
    expect([passed, failed]).toMatchObject([
      { passed: true },
      { passed: false, exitCode: 1, outputTail: 'changed: x\n-a\n+b', evidence: { number: 2 } },
    ]);
    expect(readFileSync(join(evidenceDir, '2.log'), 'utf8')).toBe('changed: x\n-a\n+b');
  });

  it('has not passed when they cannot be looked at', async () => {
    const [result] = await ask(open({ checkProtected: () => Promise.reject(new Error('EIO')) }), { run: 'protect: x', protect });
    expect(result).toMatchObject({ passed: false, outputTail: 'The protected files could not be looked at: EIO' });
  });
});

describe('a secret that a gate prints', () => {
  const redact = (text: string): string => text.replaceAll(/open\n?sesame/g, '[redacted]');

  it('is in no line that is shown, no excerpt and no log', async () => {
    const lines: string[] = [];
    const runner = open({ redact });
    const spec = { on: ['task.complete'], timeoutMs: 10_000, run: 'echo "Error: opensesame"; printf "open\\nsesame\\n" >&2; exit 1' };
    const [result] = await runner.run([{ gate: 0, spec }], new AbortController().signal, (_, line) => lines.push(line));
    const log = readFileSync(join(evidenceDir, '1.log'), 'utf8');
    expect(`${lines.join('\n')} ${result?.outputTail} ${log}`).not.toContain('opensesame');
    expect(log).toContain('Error: [redacted]');
    expect(log).not.toContain('open\nsesame');
    expect(result?.outputTail).toContain('[redacted]');
    expect(result?.evidence?.outputHash).toBe(toHash(log));
  });

  it('is not shown in what changed in protected files', async () => {
    const checkProtected = async (): Promise<string> => 'changed: .env\n-KEY=opensesame';
    const [result] = await ask(open({ redact, checkProtected }), { run: 'protected files', protect: ['.env'] });
    expect(result?.outputTail).toContain('-KEY=[redacted]');
    expect(readFileSync(join(evidenceDir, '1.log'), 'utf8')).not.toContain('opensesame');
  });
});

describe('a pass', () => {
  it('does not stand when other files are hidden than before, whatever the gate is about', async () => {
    let rules = 'none';
    const hiding: TreeReader = {
      read: async () => {
        const state = await tree.read();
        return state === null ? null : { ...state, hash: toHash(`${state.hash} ${rules}`), rules };
      },
    };
    write('a.md');
    const runner = open({ tree: hiding });
    const gate = { run: COUNTED, onlyIf: ['*.md'] };
    await ask(runner, gate);
    await ask(runner, gate);
    expect(runs()).toBe(1);
    rules = 'hidden.test.js';
    await ask(runner, gate);
    expect(runs()).toBe(2);
  });
});
