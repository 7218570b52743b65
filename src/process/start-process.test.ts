import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { childEnv, useChildBench } from './child-fixtures.ts';
import { startProcess } from './start-process.ts';

const bench = useChildBench('start');

describe('a child process', () => {
  it('reports its exit code and how much it said', async () => {
    const result = await startProcess(bench.shell('echo out; echo err >&2; exit 7')).result;
    expect(result).toMatchObject({ status: 'exited', exitCode: 7, signal: null, stdoutBytes: 4, stderrBytes: 4, stderrTail: 'err\n' });
    expect(result.leftovers).toBe(0);
    expect(result.stopReason).toBeUndefined();
  });

  it('reports the signal that ended it from inside', async () => {
    const result = await startProcess(bench.shell('kill -HUP $$')).result;
    expect(result).toMatchObject({ status: 'signaled', exitCode: null, signal: 'SIGHUP' });
    expect(result.stopReason).toBeUndefined();
  });

  it('gets exactly the given environment, the marker and the working folder', async () => {
    const lines: string[] = [];
    const code = 'for (const e of Object.entries(process.env)) console.log(e.join("=")); console.log(process.cwd())';
    const env = { ...childEnv, RALPH_TURN: 'of somebody else', GONE: undefined, EMPTY: '' };
    await startProcess(bench.node(code, { env, onStdoutLine: (line) => lines.push(line) })).result;
    expect(lines.sort()).toEqual([`EMPTY=`, `PATH=${childEnv.PATH}`, `RALPH_TURN=${bench.marker()}`, bench.folder()].sort());
  });

  it('gets its arguments as they are, whatever they look like', async () => {
    const args = ['$(touch hacked)', '; exit 3', 'a b', '', '"quoted"', '\n', '*'];
    const lines: string[] = [];
    const spec = bench.node('console.log(JSON.stringify(process.argv.slice(1)))', { onStdoutLine: (line) => lines.push(line) });
    await startProcess({ ...spec, args: [...spec.args, ...args] }).result;
    expect(JSON.parse(lines[0] ?? '')).toEqual(args);
  });

  it('is found in the PATH it is given, and beside its working folder when the path is relative', async () => {
    writeFileSync(bench.path('agent.sh'), '#!/bin/sh\nexit 4\n', { mode: 0o755 });
    const relative = await startProcess({ ...bench.shell(''), command: './agent.sh', args: [] }).result;
    const byPath = await startProcess({ ...bench.shell(''), command: 'agent.sh', args: [], env: { PATH: bench.folder() } }).result;
    expect([relative.exitCode, byPath.exitCode]).toEqual([4, 4]);
  });

  it.runIf(process.platform === 'linux' && isMainThread)('can open its outputs by name, as scripts with tee /dev/stderr do', async () => {
    const spec = bench.shell('echo one | tee /dev/stderr; echo two > /dev/stdout');
    expect(await startProcess(spec).result).toMatchObject({ exitCode: 0, stdoutBytes: 8, stderrTail: 'one\n' });
  });

  it('survives callbacks that throw, and says so', async () => {
    const seen: string[] = [];
    const onStdoutLine = (line: string): void => {
      seen.push(line);
      throw new RangeError('no good');
    };
    const result = await startProcess(bench.shell('echo 1; echo 2', { onStdoutLine })).result;
    expect(seen).toEqual(['1', '2']);
    expect(result).toMatchObject({ exitCode: 0, callbackError: { code: 'RangeError', message: 'no good' } });
  });

  it('calls nothing back once its result is there', async () => {
    let isOver = false;
    let late = 0;
    const count = (): void => {
      if (isOver) late += 1;
    };
    const spec = bench.shell('yes & sleep 0.05', { onStdoutLine: count, onStdoutChunk: count, onStdoutBytes: count, drainMs: 50 });
    await startProcess(spec).result;
    isOver = true;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(late).toBe(0);
  });
});

describe('a child that cannot be started', () => {
  const failures: [string, () => Parameters<typeof startProcess>[0], string][] = [
    ['a program that is not there', () => ({ ...bench.shell(''), command: 'no-such-program' }), 'ENOENT'],
    ['a file without run permission', () => ({ ...bench.shell(''), command: bench.path('plain.txt') }), 'EACCES'],
    ['a folder as program', () => ({ ...bench.shell(''), command: bench.folder() }), 'EACCES'],
    ['an argument that is too long', () => ({ ...bench.shell(''), args: ['-c', `: ${'x'.repeat(300_000)}`] }), 'E2BIG'],
    ['a zero byte in an argument', () => ({ ...bench.shell(''), args: ['a\0b'] }), 'ERR_INVALID_ARG_VALUE'],
    ['an empty program name', () => ({ ...bench.shell(''), command: '' }), 'ERR_INVALID_ARG_VALUE'],
    ['a missing input file', () => bench.shell('', { input: { kind: 'file', path: bench.path('none') } }), 'ENOENT'],
    ['a folder as input', () => bench.shell('', { input: { kind: 'file', path: bench.folder() } }), 'EINVAL'],
  ];
  it.each(failures)('says why: %s', async (_, spec, code) => {
    writeFileSync(bench.path('plain.txt'), 'x', { mode: 0o644 });
    const handle = startProcess(spec());
    expect(handle.pid).toBeUndefined();
    expect(await handle.stop()).toMatchObject({ status: 'spawn-error', exitCode: null, signal: null, error: { code } });
    expect(await handle.write('x')).toBe(false);
  });

  it('tells a missing working folder from a missing program', async () => {
    const result = await startProcess({ ...bench.shell(''), cwd: bench.path('gone') }).result;
    expect(result.error).toEqual({ code: 'ENOENT', message: `working folder not found: ${bench.path('gone')}` });
  });

  it('is not started when a log cannot be opened', async () => {
    const spec = bench.shell('touch ran', { stdoutPath: bench.path('out'), stderrPath: bench.path('gone/err') });
    const result = await startProcess(spec).result;
    expect(result).toMatchObject({ status: 'spawn-error', logError: { code: 'ENOENT' }, error: { code: 'ENOENT' } });
    expect(() => bench.read('ran')).toThrow();
  });
});
