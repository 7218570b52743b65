import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { useChildFixture, waitForFile } from './child-fixtures.ts';
import { findByMarker } from './end-processes.ts';
import { isAlive, processStartTime } from './process-table.ts';
import { killAllStarted } from './running-child.ts';
import { startProcess } from './start-process.ts';

const fixture = useChildFixture('end');
const deaf = "trap '' TERM; touch ready; while :; do sleep 0.05; done";

async function measure<T>(work: Promise<T>): Promise<[result: T, tookMs: number]> {
  const startedAt = performance.now();
  return [await work, performance.now() - startedAt];
}

it('tells what a child and its children use of a processor, also once those are collected', async () => {
  const busy = startProcess(fixture.shell('i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; touch ready; sleep 30'));
  await waitForFile(fixture.path('ready'));
  const idle = startProcess(fixture.shell('touch waiting; sleep 30'));
  await waitForFile(fixture.path('waiting'));
  if (process.platform === 'linux') expect(busy.cpuMs()).toBeGreaterThan(idle.cpuMs());
  await Promise.all([busy.kill(), idle.kill()]);
  expect(busy.cpuMs()).toBe(0);
});

describe('stopping a child', () => {
  it('lets it end in its own way, and sends SIGTERM only once', async () => {
    const script = "trap 'echo got >> terms' TERM; touch ready; i=0; while [ ! -s terms ]; do sleep 0.02; done; sleep 0.1; exit 9";
    const handle = startProcess(fixture.shell(script));
    await waitForFile(fixture.path('ready'));
    const results = await Promise.all([handle.stop(5000), handle.stop(1), handle.result]);
    expect(results[0]).toMatchObject({ status: 'exited', exitCode: 9, stopReason: 'stopped' });
    expect(results[1]).toBe(results[0]);
    expect(fixture.read('terms')).toBe('got\n');
  });

  it('uses force after the grace period when SIGTERM is ignored', async () => {
    const handle = startProcess(fixture.shell(deaf));
    await waitForFile(fixture.path('ready'));
    const [result, tookMs] = await measure(handle.stop(150));
    expect(result).toMatchObject({ status: 'signaled', signal: 'SIGKILL', stopReason: 'stopped' });
    expect(tookMs).toBeGreaterThan(140);
    expect(tookMs).toBeLessThan(2000);
  });

  it('can be cut short by a kill', async () => {
    const handle = startProcess(fixture.shell(deaf));
    await waitForFile(fixture.path('ready'));
    const stopped = handle.stop(60_000);
    await delay(30);
    const [result, tookMs] = await measure(handle.kill());
    expect(await stopped).toBe(result);
    expect(result).toMatchObject({ signal: 'SIGKILL', stopReason: 'killed' });
    expect(tookMs).toBeLessThan(2000);
    expect(await handle.kill()).toBe(result);
  });

  it('changes nothing when the child has ended before', async () => {
    const handle = startProcess(fixture.shell('exit 3'));
    const result = await handle.result;
    expect(await handle.stop()).toBe(result);
    expect(await handle.kill()).toBe(result);
    expect(result.stopReason).toBeUndefined();
  });

  it('reaches grandchildren in sessions of their own, with or without the marker', async () => {
    const inner = "trap 'touch gone-$0; exit' TERM; touch up-$0; while :; do sleep 0.02; done";
    const script = `setsid sh -c "$INNER" a & env -i setsid sh -c "$INNER" b & wait`;
    const handle = startProcess(fixture.shell(script, { env: { PATH: '/usr/bin:/bin', INNER: inner } }));
    await Promise.all([waitForFile(fixture.path('up-a')), waitForFile(fixture.path('up-b'))]);
    expect(await handle.stop(5000)).toMatchObject({ signal: 'SIGTERM', stopReason: 'stopped' });
    expect([fixture.read('gone-a'), fixture.read('gone-b')]).toEqual(['', '']);
  });

  it('does not interrupt what a grandchild runs to clean up, however soon the child itself is gone', async () => {
    const inner = "trap 'sleep 0.2; touch cleaned; exit' TERM; touch ready; while :; do sleep 0.02; done";
    const handle = startProcess(fixture.shell('setsid sh -c "$INNER" & wait', { env: { PATH: '/usr/bin:/bin', INNER: inner } }));
    await waitForFile(fixture.path('ready'));
    const result = await handle.stop(5000);
    expect(fixture.read('cleaned')).toBe('');
    expect(result).toMatchObject({ stopReason: 'stopped', leftovers: 0 });
  });

  it('kills a whole tree at once, its deaf parts in other sessions too', async () => {
    const script = `setsid sh -c "$DEAF" & env -i setsid sh -c "echo \\$\\$ > pid; exec sleep 60" & wait`;
    const handle = startProcess(fixture.shell(script, { env: { PATH: '/usr/bin:/bin', DEAF: deaf } }));
    await Promise.all([waitForFile(fixture.path('ready')), waitForFile(fixture.path('pid'))]);
    await delay(20);
    const [result, tookMs] = await measure(handle.kill());
    expect(result).toMatchObject({ signal: 'SIGKILL', stopReason: 'killed' });
    expect(tookMs).toBeLessThan(1500);
    expect(processStartTime(Number(fixture.read('pid')))).toBeUndefined();
  });

  it('works for everything that runs, in one synchronous go', async () => {
    const handles = [startProcess(fixture.shell('sleep 60')), startProcess(fixture.shell('sleep 60 & wait'))];
    await delay(30);
    expect(killAllStarted()).toBe(2);
    const results = await Promise.all(handles.map((handle) => handle.result));
    expect(results.map((result) => result.stopReason)).toEqual(['killed', 'killed']);
    expect(killAllStarted()).toBe(0);
  });
});

describe('what a child leaves behind', () => {
  it('does not hold the result up by an open pipe, and is ended', async () => {
    const lines: string[] = [];
    const spec = fixture.shell('sleep 60 & echo done', { onStdoutLine: (line) => lines.push(line) });
    const [result, tookMs] = await measure(startProcess(spec).result);
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, leftovers: 1 });
    expect(result.stopReason).toBeUndefined();
    expect(lines).toEqual(['done']);
    expect(tookMs).toBeLessThan(1500);
  });

  it('is not listened to for longer than it speaks, however long its last words may take', async () => {
    const spec = fixture.shell('sleep 600 & echo done', { drainMs: 3_600_000 });
    expect(await startProcess(spec).result).toMatchObject({ status: 'exited', exitCode: 0, leftovers: 1 });
  });

  it('is found in a session of its own by the marker, and killed when it ignores SIGTERM', async () => {
    const script = 'setsid sh -c "$DEAF" > /dev/null 2>&1 & while [ ! -e ready ]; do sleep 0.01; done; exit 2';
    const env = { PATH: '/usr/bin:/bin', DEAF: deaf };
    const result = await startProcess(fixture.shell(script, { env, leftoverGraceMs: 100 })).result;
    expect(result).toMatchObject({ exitCode: 2, signal: null });
    expect(result.leftovers).toBeGreaterThanOrEqual(1);
  });

  it('is ended without a marker as far as the process group reaches', async () => {
    const { marker: _, ...spec } = fixture.shell('sleep 60 > /dev/null 2>&1 & echo $! > pid');
    expect(await startProcess(spec).result).toMatchObject({ exitCode: 0, leftovers: 1 });
    expect(processStartTime(Number(fixture.read('pid')))).toBeUndefined();
  });

  it('is not waited for once somebody stops the turn', async () => {
    const handle = startProcess(fixture.shell('sleep 60 & touch ready'));
    await waitForFile(fixture.path('ready'));
    await delay(50);
    const [result, tookMs] = await measure(handle.stop());
    expect(result).toMatchObject({ status: 'exited', exitCode: 0 });
    expect(result.leftovers).toBe(1);
    expect(tookMs).toBeLessThan(1500);
  });
});

describe('time limits', () => {
  it('end a child that lives too long', async () => {
    const result = await startProcess(fixture.shell('while :; do echo x; sleep 0.02; done', { timeoutMs: 150 })).result;
    expect(result).toMatchObject({ status: 'signaled', signal: 'SIGTERM', stopReason: 'timeout' });
    expect(result.durationMs).toBeGreaterThan(140);
  });

  it('end a child that is silent on both outputs, even one that ignores SIGTERM', async () => {
    const result = await startProcess(fixture.shell(deaf, { idleTimeoutMs: 120, stopGraceMs: 50 })).result;
    expect(result).toMatchObject({ signal: 'SIGKILL', stopReason: 'idle-timeout' });
  });

  it('leave a child alone that says something now and then on either output', async () => {
    const script = 'for i in 1 2 3 4 5; do echo x; sleep 0.1; echo y >&2; sleep 0.1; done';
    const result = await startProcess(fixture.shell(script, { idleTimeoutMs: 600, timeoutMs: 20_000 })).result;
    expect(result).toMatchObject({ status: 'exited', exitCode: 0 });
    expect(result.stopReason).toBeUndefined();
  });
});

describe('a running child', () => {
  it('is named by pid and start time, and is no longer alive after its end', async () => {
    const handle = startProcess(fixture.shell('sleep 60'));
    const ref = { pid: handle.pid ?? 0, startTime: handle.startTime ?? '' };
    expect(processStartTime(ref.pid)).toBe(ref.startTime);
    expect(isAlive(ref)).toBe(true);
    expect(isAlive({ ...ref, startTime: 'another' })).toBe(false);
    expect(findByMarker(fixture.marker()).map(({ pid }) => pid)).toContain(ref.pid);
    await handle.kill();
    expect(isAlive(ref)).toBe(false);
    expect(processStartTime(ref.pid)).toBeUndefined();
  });
});
