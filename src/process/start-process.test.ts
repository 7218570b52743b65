import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { childEnv, useChildFixture, waitForFile } from './child-fixtures.ts';
import { runShellLine, runToEnd, startProcess } from './start-process.ts';

const fixture = useChildFixture('start');

describe('a child process', () => {
  it('reports its exit code and how much it said', async () => {
    const result = await startProcess(fixture.shell('echo out; echo err >&2; exit 7')).result;
    expect(result).toMatchObject({ status: 'exited', exitCode: 7, signal: null, stdoutBytes: 4, stderrBytes: 4, stderrTail: 'err\n' });
    expect(result.leftovers).toBe(0);
    expect(result.stopReason).toBeUndefined();
  });

  it('reports the signal that ended it from inside', async () => {
    const result = await startProcess(fixture.shell('kill -HUP $$')).result;
    expect(result).toMatchObject({ status: 'signaled', exitCode: null, signal: 'SIGHUP' });
    expect(result.stopReason).toBeUndefined();
  });

  it('gets exactly the given environment, the marker and the working folder', async () => {
    const lines: string[] = [];
    const code = 'for (const e of Object.entries(process.env)) console.log(e.join("=")); console.log(process.cwd())';
    const env = { ...childEnv, RALPH_TURN: 'of somebody else', GONE: undefined, EMPTY: '' };
    await startProcess(fixture.node(code, { env, onStdoutLine: (line) => lines.push(line) })).result;
    expect(lines.sort()).toEqual([`EMPTY=`, `PATH=${childEnv.PATH}`, `RALPH_TURN=${fixture.marker()}`, fixture.folder()].sort());
  });

  it('gets its arguments as they are, whatever they look like', async () => {
    const args = ['$(touch hacked)', '; exit 3', 'a b', '', '"quoted"', '\n', '*'];
    const lines: string[] = [];
    const spec = fixture.node('console.log(JSON.stringify(process.argv.slice(1)))', { onStdoutLine: (line) => lines.push(line) });
    await startProcess({ ...spec, args: [...spec.args, ...args] }).result;
    expect(JSON.parse(lines[0] ?? '')).toEqual(args);
  });

  it('is found in the PATH it is given, and beside its working folder when the path is relative', async () => {
    writeFileSync(fixture.path('agent.sh'), '#!/bin/sh\nexit 4\n', { mode: 0o755 });
    const relative = await startProcess({ ...fixture.shell(''), command: './agent.sh', args: [] }).result;
    const byPath = await startProcess({ ...fixture.shell(''), command: 'agent.sh', args: [], env: { PATH: fixture.folder() } }).result;
    expect([relative.exitCode, byPath.exitCode]).toEqual([4, 4]);
  });

  it.runIf(process.platform === 'linux' && isMainThread)('can open its outputs by name, as scripts with tee /dev/stderr do', async () => {
    const spec = fixture.shell('echo one | tee /dev/stderr; echo two > /dev/stdout');
    expect(await startProcess(spec).result).toMatchObject({ exitCode: 0, stdoutBytes: 8, stderrTail: 'one\n' });
  });

  it('survives callbacks that throw, and says so', async () => {
    const seen: string[] = [];
    const onStdoutLine = (line: string): void => {
      seen.push(line);
      throw new RangeError('no good');
    };
    const result = await startProcess(fixture.shell('echo 1; echo 2', { onStdoutLine })).result;
    expect(seen).toEqual(['1', '2']);
    expect(result).toMatchObject({ exitCode: 0, callbackError: { code: 'RangeError', message: 'no good' } });
  });

  it('calls nothing back once its result is there', async () => {
    let isOver = false;
    let late = 0;
    const count = (): void => {
      if (isOver) late += 1;
    };
    const spec = fixture.shell('yes & sleep 0.05', { onStdoutLine: count, onStdoutChunk: count, onStdoutBytes: count, drainMs: 50 });
    await startProcess(spec).result;
    isOver = true;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(late).toBe(0);
  });
});

describe('a child that cannot be started', () => {
  const failures: [string, () => Parameters<typeof startProcess>[0], string][] = [
    ['a program that is not there', () => ({ ...fixture.shell(''), command: 'no-such-program' }), 'ENOENT'],
    ['a file without run permission', () => ({ ...fixture.shell(''), command: fixture.path('plain.txt') }), 'EACCES'],
    ['a folder as program', () => ({ ...fixture.shell(''), command: fixture.folder() }), 'EACCES'],
    ['an argument that is too long', () => ({ ...fixture.shell(''), args: ['-c', `: ${'x'.repeat(300_000)}`] }), 'E2BIG'],
    ['a zero byte in an argument', () => ({ ...fixture.shell(''), args: ['a\0b'] }), 'ERR_INVALID_ARG_VALUE'],
    ['an empty program name', () => ({ ...fixture.shell(''), command: '' }), 'ERR_INVALID_ARG_VALUE'],
    ['a missing input file', () => fixture.shell('', { input: { kind: 'file', path: fixture.path('none') } }), 'ENOENT'],
    ['a folder as input', () => fixture.shell('', { input: { kind: 'file', path: fixture.folder() } }), 'EINVAL'],
  ];
  it.each(failures)('says why: %s', async (_, spec, code) => {
    writeFileSync(fixture.path('plain.txt'), 'x', { mode: 0o644 });
    const handle = startProcess(spec());
    expect(handle.pid).toBeUndefined();
    expect(await handle.stop()).toMatchObject({ status: 'spawn-error', exitCode: null, signal: null, error: { code } });
    expect(await handle.write('x')).toBe(false);
  });

  it('tells a missing working folder from a missing program', async () => {
    const result = await startProcess({ ...fixture.shell(''), cwd: fixture.path('gone') }).result;
    expect(result.error).toEqual({ code: 'ENOENT', message: `working folder not found: ${fixture.path('gone')}` });
  });

  it('is not started when a log cannot be opened', async () => {
    const spec = fixture.shell('touch ran', { stdoutPath: fixture.path('out'), stderrPath: fixture.path('gone/err') });
    const result = await startProcess(spec).result;
    expect(result).toMatchObject({ status: 'spawn-error', logError: { code: 'ENOENT' }, error: { code: 'ENOENT' } });
    expect(() => fixture.read('ran')).toThrow();
  });
});

const options = () => ({ cwd: fixture.folder(), env: childEnv, marker: fixture.marker() });

describe('running a command', () => {
  it('captures both outputs, apart and together', async () => {
    const result = await runToEnd(fixture.shell('echo one; sleep 0.05; echo two >&2; sleep 0.05; echo three; exit 1'));
    expect(result).toMatchObject({ status: 'exited', exitCode: 1, stdout: 'one\nthree\n', stderr: 'two\n', output: 'one\ntwo\nthree\n' });
    expect([result.isStdoutCut, result.isStderrCut, result.isOutputCut]).toEqual([false, false, false]);
  });

  it('keeps the end of an output of any length', async () => {
    const result = await runToEnd({ ...fixture.shell('seq 1 100000; echo last'), captureBytes: 100 });
    expect(result.stdout).toHaveLength(100);
    expect(result.stdout.endsWith('99999\n100000\nlast\n')).toBe(true);
    expect([result.isStdoutCut, result.isStderrCut]).toEqual([true, false]);
  });

  it('reports a command that is not there', async () => {
    const result = await runToEnd({ ...fixture.shell(''), command: 'no-such-program' });
    expect(result).toMatchObject({ status: 'spawn-error', error: { code: 'ENOENT' }, output: '' });
  });

  it('ends the whole tree when time is up', async () => {
    const result = await runToEnd(fixture.shell('echo before; sleep 60 & sleep 60', { timeoutMs: 100 }));
    expect(result).toMatchObject({ stopReason: 'timeout', stdout: 'before\n' });
  });

  it('can be aborted, before and while it runs', async () => {
    const abort = new AbortController();
    const running = runToEnd({ ...fixture.shell('touch ready; sleep 60'), abort: abort.signal });
    await waitForFile(fixture.path('ready'));
    abort.abort();
    expect(await running).toMatchObject({ stopReason: 'stopped' });
    expect(await runToEnd({ ...fixture.shell('sleep 60'), abort: abort.signal })).toMatchObject({ stopReason: 'stopped' });
  });
});

describe('running a line of shell', () => {
  it('understands all that a shell does', async () => {
    const result = await runShellLine('X="a b"; for i in 1 2; do echo "$X $i"; done | sort -r && false', options());
    expect(result).toMatchObject({ status: 'exited', exitCode: 1, stdout: 'a b 2\na b 1\n' });
  });

  it('takes a line that begins like an option as a line, and no positional arguments', async () => {
    expect(await runShellLine('-x', options())).toMatchObject({ exitCode: 127 });
    expect(await runShellLine('echo "$#"', options())).toMatchObject({ stdout: '0\n' });
  });
});
