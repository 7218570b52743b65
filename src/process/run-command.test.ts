import { describe, expect, it } from 'vitest';
import { childEnv, useChildBench, waitForFile } from './child-fixtures.ts';
import { runCommand, runShellLine } from './run-command.ts';

const bench = useChildBench('command');
const options = () => ({ cwd: bench.folder(), env: childEnv, marker: bench.marker() });

describe('running a command', () => {
  it('captures both outputs, apart and together', async () => {
    const result = await runCommand(bench.shell('echo one; sleep 0.05; echo two >&2; sleep 0.05; echo three; exit 1'));
    expect(result).toMatchObject({ status: 'exited', exitCode: 1, stdout: 'one\nthree\n', stderr: 'two\n', output: 'one\ntwo\nthree\n' });
    expect([result.isStdoutCut, result.isStderrCut, result.isOutputCut]).toEqual([false, false, false]);
  });

  it('keeps the end of an output of any length', async () => {
    const result = await runCommand({ ...bench.shell('seq 1 100000; echo last'), captureBytes: 100 });
    expect(result.stdout).toHaveLength(100);
    expect(result.stdout.endsWith('99999\n100000\nlast\n')).toBe(true);
    expect([result.isStdoutCut, result.isStderrCut]).toEqual([true, false]);
  });

  it('reports a command that is not there', async () => {
    const result = await runCommand({ ...bench.shell(''), command: 'no-such-program' });
    expect(result).toMatchObject({ status: 'spawn-error', error: { code: 'ENOENT' }, output: '' });
  });

  it('ends the whole tree when time is up', async () => {
    const result = await runCommand(bench.shell('echo before; sleep 60 & sleep 60', { timeoutMs: 100 }));
    expect(result).toMatchObject({ stopReason: 'timeout', stdout: 'before\n' });
  });

  it('can be aborted, before and while it runs', async () => {
    const abort = new AbortController();
    const running = runCommand({ ...bench.shell('touch ready; sleep 60'), abort: abort.signal });
    await waitForFile(bench.path('ready'));
    abort.abort();
    expect(await running).toMatchObject({ stopReason: 'stopped' });
    expect(await runCommand({ ...bench.shell('sleep 60'), abort: abort.signal })).toMatchObject({ stopReason: 'stopped' });
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
