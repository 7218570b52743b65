import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Isolation } from '../ports/program.ts';
import { childEnv, useChildFixture, waitForFile } from './child-fixtures.ts';
import type { ProcessSpec } from './contract.ts';
import { isAlive, processStartTime, readPidNamespace } from './process-table.ts';
import { findIsolation, runToEnd, startProcess } from './start-process.ts';

const search = await findIsolation();

describe.skipIf(!search.ok)('a program in namespaces of its own', () => {
  const fixture = useChildFixture('isolation');
  let isolation: Isolation;
  beforeAll(() => {
    if (search.ok) isolation = search.value;
  });
  const inside = (script: string, more: Partial<ProcessSpec> = {}): ProcessSpec => fixture.shell(script, { isolation, ...more });

  it('sees no process but its own, and is who it was', async () => {
    const script = 'readlink /proc/self/ns/pid; id -u; ls -d /proc/[0-9]* | wc -l; ls /dev/null; pwd';
    const { status, stdout } = await runToEnd(inside(script));
    const [namespace, uid, processes, device, folder] = stdout.trim().split('\n');
    expect({ status, uid, device, folder }).toEqual({
      status: 'exited',
      uid: String(process.getuid?.()),
      device: '/dev/null',
      folder: fixture.folder(),
    });
    expect(namespace).not.toBe(readPidNamespace());
    expect(Number(processes)).toBeLessThan(6);
  });

  it.each([0, 1, 3, 126, 127, 130, 137, 143, 255])('ends with its exit code %i', async (code) => {
    expect(await startProcess(inside(`exit ${code}`)).result).toMatchObject({
      status: 'exited',
      exitCode: code,
      signal: null,
      leftovers: 0,
    });
  });

  it.each(['SIGTERM', 'SIGKILL', 'SIGABRT', 'SIGHUP'] as const)('ends by %s and is told to have', async (signal) => {
    expect(await startProcess(inside(`kill -${signal.slice(3)} $$`)).result).toMatchObject({
      status: 'signaled',
      exitCode: null,
      signal,
      stderrTail: '',
    });
  });

  it('leads a process group and session of its own, which it can end', async () => {
    const { stdout } = await runToEnd(inside('echo "$(ps -o pgid= -o sid= -p $$ | tr -s " ")" $$'));
    const [group, session, pid] = stdout.trim().split(/ +/);
    expect([group, session]).toEqual([pid, pid]);
    expect(await startProcess(inside('sleep 60 & kill -- -$$; exit 9')).result).toMatchObject({ status: 'signaled', signal: 'SIGTERM' });
  });

  it('tells its exit code when somebody is left behind', async () => {
    expect(await startProcess(inside('sleep 60 & exit 143')).result).toMatchObject({ status: 'exited', exitCode: 143, leftovers: 1 });
    expect(await startProcess(inside('sleep 60 & kill -KILL $$')).result).toMatchObject({
      status: 'signaled',
      signal: 'SIGKILL',
      leftovers: 1,
    });
  });

  it('gets its input, its arguments and its environment as they are', async () => {
    const args = ['-c', 'cat; printf "%s|" "$@"', 'sh', 'a b', '', '--', "'\n"];
    const spec = { ...inside(''), args, input: { kind: 'text', text: 'words\n' } } as const;
    expect((await runToEnd(spec)).stdout).toBe("words\na b||--|'\n|");
    const env = { ...childEnv, 'odd-name': 'x\ny', 'b.c': '=', PLAIN: '1' };
    const names = "JSON.stringify(['odd-name','b.c','PLAIN','RALPH_KEPT_0'].map((name) => process.env[name] ?? null))";
    const { stdout } = await runToEnd(fixture.node(`console.log(${names})`, { isolation, env }));
    expect(JSON.parse(stdout)).toEqual(['x\ny', '=', '1', null]);
  });

  it('reads what is written to it while it runs, and can be sent to its end', async () => {
    const lines: string[] = [];
    const handle = startProcess(
      inside('while read -r line; do echo "got $line"; done', { input: { kind: 'open' }, onStdoutLine: (line) => lines.push(line) }),
    );
    await handle.write('one');
    handle.endInput();
    expect(await handle.result).toMatchObject({ exitCode: 0 });
    expect(lines).toEqual(['got one']);
  });

  it.each([
    ['a double fork without an environment', 'env -i setsid -f sleep 1000; exit 0'],
    ['another marker', 'RALPH_TURN=other/1.1 setsid -f sleep 1000; exit 0'],
    ['a disowned process of a cleared shell', '( env -i bash -c "setsid sleep 1000 >/dev/null 2>&1 & disown" ); exit 0'],
    ['nobody who listens', 'trap "" TERM HUP; env -i setsid -f sleep 1000; exit 0'],
  ])('leaves nothing behind: %s', async (_, script) => {
    const started = startProcess(inside(`${script.replace('exit 0', 'ls -d /proc/[0-9]* >/dev/null; exit 0')}`));
    const { pid = 0 } = started;
    const result = await started.result;
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, leftovers: 1 });
    expect(processStartTime(pid)).toBeUndefined();
  });

  it('cannot act after its end, however it was left', async () => {
    const script = `env -i /usr/bin/setsid -f sh -c 'trap "" TERM; n=0; while :; do n=$((n+1)); echo $n > ${fixture.path('beat')}; done'; while [ ! -s ${fixture.path('beat')} ]; do :; done`;
    await startProcess(inside(script, { leftoverGraceMs: 20 })).result;
    const last = readFileSync(fixture.path('beat'), 'utf8');
    await delay(50);
    expect(readFileSync(fixture.path('beat'), 'utf8')).toBe(last);
  });

  it('gets SIGTERM and time to end when it is stopped, and everything else with it', async () => {
    const handle = startProcess(
      inside(
        `trap 'echo bye > ${fixture.path('bye')}; exit 7' TERM; env -i setsid -f sleep 1000; echo > ${fixture.path('ready')}; while :; do sleep 0.01; done`,
      ),
    );
    await waitForFile(fixture.path('ready'));
    expect(await handle.stop(5000)).toMatchObject({ status: 'exited', exitCode: 7, stopReason: 'stopped' });
    expect(fixture.read('bye')).toBe('bye\n');
  });

  it('is killed when it does not end', async () => {
    const handle = startProcess(inside(`trap '' TERM; echo > ${fixture.path('ready')}; while :; do sleep 0.01; done`));
    await waitForFile(fixture.path('ready'));
    expect(await handle.stop(30)).toMatchObject({ status: 'signaled', signal: 'SIGKILL', stopReason: 'stopped' });
  });

  it('ends when it is stopped before it began, or killed', async () => {
    expect(await startProcess(inside('sleep 60')).stop()).toMatchObject({ stopReason: 'stopped' });
    expect(await startProcess(inside('sleep 60')).kill()).toMatchObject({ status: 'signaled', signal: 'SIGKILL', stopReason: 'killed' });
  });

  it('ends with whoever waits for it', async () => {
    const handle = startProcess(inside(`env -i setsid -f sleep 1000; echo > ${fixture.path('ready')}; sleep 60`));
    await waitForFile(fixture.path('ready'));
    process.kill(handle.pid ?? 0, 'SIGKILL');
    expect(await handle.result).toMatchObject({ status: 'signaled', signal: 'SIGKILL' });
    expect(isAlive({ pid: handle.pid ?? 0, startTime: handle.startTime ?? '' })).toBe(false);
  });

  it('cannot change what is read-only, but what is writable below', async () => {
    const trusted = fixture.path('trusted');
    mkdirSync(`${trusted}/own`, { recursive: true });
    writeFileSync(`${trusted}/file`, 'as it was');
    const script = `echo no > ${trusted}/file; rm -f ${trusted}/file; mv ${trusted} ${trusted}2; echo yes > ${trusted}/own/file; cat ${trusted}/own/file`;
    const { stdout } = await runToEnd(inside(script, { isolation: { ...isolation, readOnly: [trusted], writable: [`${trusted}/own`] } }));
    expect(stdout).toBe('yes\n');
    expect(fixture.read('trusted/file')).toBe('as it was');
  });

  it('is not started where a folder cannot be protected', async () => {
    const broken = { ...isolation, readOnly: [fixture.path('none')] };
    expect(await startProcess(inside(`echo > ${fixture.path('ran')}`, { isolation: broken })).result).toMatchObject({
      status: 'spawn-error',
      error: { code: 'isolation' },
    });
    expect(() => fixture.read('ran')).toThrow('ENOENT');
  });

  it('that is not there is told as without', async () => {
    const spec = { ...inside(''), command: 'no-such-program' };
    const handle = startProcess(spec);
    expect(handle.pid).toBeUndefined();
    expect(await handle.result).toMatchObject({ status: 'spawn-error', error: { code: 'ENOENT' } });
  });

  it('may put up a namespace of its own', async () => {
    const { stdout, stderr } = await runToEnd(inside('unshare --user --map-root-user --pid --mount --fork --mount-proc ls -d /proc/1'));
    expect({ stdout, stderr }).toEqual({ stdout: '/proc/1\n', stderr: '' });
  });
});
