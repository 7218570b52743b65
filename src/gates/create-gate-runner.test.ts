import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GateResult, StartTestsResult } from '../core/gates/gate-result.ts';
import type { GateSpec } from '../core/gates/gate-spec.ts';
import type { AwayGateOrder, AwayGateResult } from '../ports/gate-runner.ts';
import type { TreeState } from '../ports/tree-reader.ts';
import { createGateRunner } from './create-gate-runner.ts';

const env = { PATH: process.env['PATH'], GREETING: 'hello' };
let cwd = '';

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-gates-'));
});

afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

interface Run {
  readonly results: readonly GateResult[];
  readonly lines: readonly string[];
}

async function runGates(commands: readonly string[], options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<Run> {
  const lines: string[] = [];
  const orders = commands.map((run, gate) => ({ gate, spec: { on: ['task.complete'], run, timeoutMs: options.timeoutMs ?? 10_000 } }));
  const signal = options.signal ?? new AbortController().signal;
  const results = await createGateRunner({ cwd, env, atOnce: 1 }).run(orders, signal, (gate, line) => lines.push(`${gate}: ${line}`));
  return { results, lines };
}

async function runGate(command: string, options: { timeoutMs?: number } = {}): Promise<GateResult> {
  const [result] = (await runGates([command], options)).results;
  if (result === undefined) throw new Error('no result');
  return result;
}

it('shows the beginning of what became of protected files, also where it is one endless line', async () => {
  const runner = createGateRunner({ cwd, env, checkProtected: async () => `changed: ${'x'.repeat(9000)}` });
  const orders = [{ gate: 0, spec: { on: ['task.complete'], run: '', timeoutMs: 1000, protect: ['*'] } }];
  const [result] = await runner.run(orders, new AbortController().signal, () => undefined);
  expect(result?.outputTail).toMatch(/^changed: x{3000,}\n\[…\]$/);
});

describe('a gate', () => {
  it('passes when its command exits with 0', async () => {
    expect(await runGate('echo "$GREETING from $(pwd -P)" && test -d .')).toMatchObject({ passed: true, exitCode: 0, timedOut: false });
  });

  it('runs in the workspace, as a shell line with the given environment', async () => {
    await runGate('printf %s "$GREETING" | tr a-z A-Z > out.txt; exit 0');
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('HELLO');
  });

  it('fails with the exit code and the output as evidence', async () => {
    const result = await runGate('echo to stdout; echo to stderr >&2; exit 3');
    expect(result).toMatchObject({ passed: false, exitCode: 3, command: 'echo to stdout; echo to stderr >&2; exit 3' });
    expect(result.outputTail.split('\n').sort()).toEqual(['to stderr', 'to stdout']);
  });

  it('keeps at most 4 KB of its output, beginning with a whole line', async () => {
    const result = await runGate('i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; exit 1');
    expect(Buffer.byteLength(result.outputTail)).toBeLessThanOrEqual(4096);
    expect(result.outputTail).toMatch(/^line \d+\n/);
    expect(result.outputTail).toMatch(/line 2999$/);
  });

  it('says that the command was not found on exit code 127', async () => {
    const result = await runGate('no-such-command-at-all');
    expect(result).toMatchObject({ passed: false, exitCode: 127 });
    expect(result.outputTail).toContain('a command was not found');
  });

  it('says that a file may not be executed on exit code 126', async () => {
    writeFileSync(join(cwd, 'check.sh'), 'exit 0\n');
    chmodSync(join(cwd, 'check.sh'), 0o644);
    const result = await runGate('./check.sh');
    expect(result).toMatchObject({ passed: false, exitCode: 126 });
    expect(result.outputTail).toContain('may not be executed');
  });

  it('says which signal ended it', async () => {
    const result = await runGate('kill -SEGV $$');
    expect(result).toMatchObject({ passed: false, exitCode: null });
    expect(result.outputTail).toContain('SIGSEGV');
  });

  it('is ended with everything it started when it takes too long, and has not passed', async () => {
    const result = await runGate('while :; do echo x >> beat; sleep 0.02; done & echo waiting; wait; exit 0', { timeoutMs: 300 });
    expect(result).toMatchObject({ passed: false, timedOut: true });
    expect(result.outputTail).toBe('waiting\n[ended because it took longer than 300 ms]');
    const beats = readFileSync(join(cwd, 'beat'), 'utf8');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(readFileSync(join(cwd, 'beat'), 'utf8')).toBe(beats);
  });

  it('has not passed when it exits with 0 only because it was told to end', async () => {
    const result = await runGate('trap "exit 0" TERM; while :; do sleep 0.05; done', { timeoutMs: 200 });
    expect(result).toMatchObject({ passed: false, timedOut: true });
  });

  it('has not passed when it cannot be started', async () => {
    rmSync(cwd, { recursive: true });
    const result = await runGate('true');
    expect(result).toMatchObject({ passed: false, exitCode: null, timedOut: false });
    expect(result.outputTail).toContain('could not be started');
  });
});

describe('several gates', () => {
  it('all run, in order, also after one has failed', async () => {
    const { results } = await runGates(['echo a >> log; exit 1', 'echo b >> log', 'echo c >> log; exit 2']);
    expect(results.map((result) => [result.gate, result.passed])).toEqual([
      [0, false],
      [1, true],
      [2, false],
    ]);
    expect(readFileSync(join(cwd, 'log'), 'utf8')).toBe('a\nb\nc\n');
  });

  it('tell each line of their output while they run', async () => {
    expect((await runGates(['echo one; echo two', 'echo three >&2'])).lines).toEqual(['0: one', '0: two', '1: three']);
  });

  it('are all accounted for when the run is stopped: the running one is ended, the others do not start', async () => {
    const controller = new AbortController();
    const running = runGates(['echo started > one; sleep 60', 'echo started > two'], { signal: controller.signal });
    setTimeout(() => controller.abort(), 200);
    const { results } = await running;
    expect(results.map((result) => result.passed)).toEqual([false, false]);
    expect(results[0]?.outputTail).toContain('the run was stopped');
    expect(results[1]?.outputTail).toBe('not run: the run was stopped');
    expect(() => readFileSync(join(cwd, 'two'))).toThrow('ENOENT');
  });

  it('do not stop for a listener that throws', async () => {
    const orders = [{ gate: 0, spec: { on: ['task.complete'], run: 'echo x', timeoutMs: 5000 } }];
    const results = await createGateRunner({ cwd, env }).run(orders, new AbortController().signal, () => {
      throw new Error('listener');
    });
    expect(results[0]?.passed).toBe(true);
  });
});

describe('two gates at once', () => {
  it('end on their own: what the first one left is ended, the second is not', async () => {
    const runner = createGateRunner({ cwd, env, marker: 'test-of-gates/gate', atOnce: 2 });
    const orders = ['sleep 0.1', 'sleep 0.6; echo whole'].map((run, gate) => ({
      gate,
      spec: { on: ['task.complete'], run, timeoutMs: 10_000 },
    }));
    const results = await runner.run(orders, new AbortController().signal, () => undefined);
    expect(results.map(({ passed, exitCode }) => [passed, exitCode])).toEqual([
      [true, 0],
      [true, 0],
    ]);
    expect(results[1]?.outputTail).toBe('whole');
  });
});

describe('the tests of the start', () => {
  const TRIED: StartTestsResult = { outcome: 'failed', changed: ['test/a.js'], total: 1, outputTail: 'no' };

  /** Runs gates of which all but those that say otherwise guard the end; which of them were tried, and what came of it. */
  async function judge(
    specs: readonly (Partial<GateSpec> & { readonly isEnd?: false })[],
    shown = TRIED,
    state: TreeState | null = { hash: 'a', files: new Map() },
  ) {
    const asked: (readonly number[])[] = [];
    const orders = specs.map(({ isEnd, ...spec }, gate) => ({
      gate,
      spec: { on: ['task.complete'], run: 'true', timeoutMs: 10_000, ...spec },
      ...(isEnd !== false && { isEnd: true as const }),
    }));
    const runner = createGateRunner({
      cwd,
      env,
      tree: { read: async () => state },
      tryStartTests: async (gates) => {
        asked.push(gates);
        return new Map(gates.map((gate) => [gate, shown]));
      },
    });
    const results = await runner.run(orders, new AbortController().signal, () => undefined);
    return { asked, tried: results.map(({ startTests }) => startTests) };
  }

  it('are tried with every required gate that passed before the end', async () => {
    expect(await judge([{}, { required: false }, { mayChangeTests: true }, { protect: ['x'] }])).toEqual({
      asked: [[0]],
      tried: [TRIED, undefined, undefined, undefined],
    });
  });

  it('are tried with those that passed where another one may stay red', async () => {
    expect(await judge([{}, { run: 'false', baseline: 'no_worse' }])).toEqual({ asked: [[0]], tried: [TRIED, undefined] });
  });

  it('are not taken for tried where none of them ran in the copy', async () => {
    const passed: StartTestsResult = { ...TRIED, outcome: 'passed', outputTail: '' };
    const outcomeOf = async (run: string, ranTests?: number) =>
      (await judge([{ run }], { ...passed, ...(ranTests !== undefined && { ranTests }) })).tried[0]?.outcome;
    expect([await outcomeOf('echo "# tests 2"; echo "# pass 2"'), await outcomeOf('echo "# tests 2"; echo "# pass 2"', 0)]).toEqual([
      'unknown',
      'unknown',
    ]);
    expect([await outcomeOf('echo "# tests 2"; echo "# pass 2"', 1), await outcomeOf('true')]).toEqual(['passed', 'passed']);
  });

  it('are unknown where git no longer tells the files apart', async () => {
    const { asked, tried } = await judge([{}], TRIED, null);
    expect([asked, tried]).toEqual([[], [expect.objectContaining({ outcome: 'unknown', changed: [], total: 0 })]]);
  });

  it('are not tried on the way, nor where a gate refuses the end anyway', async () => {
    expect((await judge([{ isEnd: false }])).asked).toEqual([]);
    expect((await judge([{}, { run: 'false' }])).asked).toEqual([]);
  });
});

describe('a gate that needs a worker', () => {
  const shown = { passed: true, exitCode: 0, timedOut: false, durationMs: 5, outputTail: 'fine', isCut: false };
  const ran: AwayGateResult = {
    kind: 'ran',
    worker: 'strong',
    shown: { ...shown, attempts: [{ exitCode: 0, timedOut: false, durationMs: 5 }] },
    log: Buffer.from('all of it: swordfish\n'),
  };
  const spec: GateSpec = { on: ['task.complete'], run: 'exit 9', timeoutMs: 1000, runsOn: ['gpu'] };
  const here: GateSpec = { on: ['task.complete'], run: 'exit 9', timeoutMs: 1000 };

  function createAway(results: readonly AwayGateResult[], look: () => string = () => 'same') {
    const asked: AwayGateOrder[] = [];
    const state = async (): Promise<TreeState> => ({ hash: look(), files: new Map() });
    const runner = createGateRunner({
      ...{ cwd, env, atOnce: 1, evidenceDir: join(cwd, 'evidence'), tree: { read: state } },
      redact: (text) => text.replace('swordfish', '[redacted]'),
      runAway: async (order) => {
        asked.push(order);
        return results[asked.length - 1] ?? ran;
      },
    });
    const run = (...specs: readonly GateSpec[]) =>
      runner.run(
        specs.map((one, gate) => ({ gate, spec: one })),
        new AbortController().signal,
        () => undefined,
      );
    return { asked, run };
  }

  it('is not run here, and its evidence names the worker and holds the whole output, without secrets', async () => {
    const { asked, run } = createAway([]);
    const [result] = await run(spec);
    expect(asked).toMatchObject([{ gate: 0, command: 'exit 9' }]);
    expect(result).toMatchObject({ passed: true, evidence: { worker: 'strong', number: 1, isFresh: true, tree: 'same' } });
    expect(JSON.parse(readFileSync(join(cwd, 'evidence/1.json'), 'utf8'))).toMatchObject({ worker: 'strong', passed: true });
    expect(readFileSync(join(cwd, 'evidence/1.log'), 'utf8')).toBe('all of it: [redacted]\n');
  });

  it('is not asked again for the same files, and says nothing about the same command here', async () => {
    const { asked, run } = createAway([]);
    expect((await run(spec, here)).map(({ passed }) => passed)).toEqual([true, false]);
    expect((await run(spec))[0]?.evidence).toMatchObject({ isCached: true, worker: 'strong' });
    expect(asked).toHaveLength(1);
  });

  it('has a verdict about the files that were sent: it is stale where they changed meanwhile, and is not remembered', async () => {
    let count = 0;
    const { asked, run } = createAway([], () => {
      count += 1;
      return `state ${count}`;
    });
    expect((await run(spec))[0]?.evidence).toMatchObject({ treeBefore: 'state 1', tree: 'state 1', isFresh: false });
    await run(spec);
    expect(asked).toHaveLength(2);
  });

  it('has failed where no worker could run it, without evidence', async () => {
    const { run } = createAway([{ kind: 'lost', why: 'the worker was lost' }]);
    const [result] = await run(spec);
    expect(result).toMatchObject({ passed: false, exitCode: null, outputTail: 'the worker was lost' });
    expect(result?.evidence).toBeUndefined();
  });

  it('takes no place of those that run here', async () => {
    let end = (_: AwayGateResult): void => undefined;
    const waits = new Promise<AwayGateResult>((resolve) => {
      end = resolve;
    });
    const lines: string[] = [];
    const runner = createGateRunner({ cwd, env, atOnce: 1, runAway: () => waits });
    const orders = [spec, { ...here, run: 'echo here' }].map((one, gate) => ({ gate, spec: one }));
    const both = runner.run(orders, new AbortController().signal, (_, line) => lines.push(line));
    await expect.poll(() => lines).toEqual(['here']);
    end(ran);
    expect((await both).map(({ passed }) => passed)).toEqual([true, true]);
  });

  it('runs here where nobody else does', async () => {
    expect((await runGates(['exit 0'])).results[0]?.passed).toBe(true);
    const [result] = await createGateRunner({ cwd, env }).run([{ gate: 0, spec }], new AbortController().signal, () => undefined);
    expect(result).toMatchObject({ passed: false, exitCode: 9 });
  });
});
