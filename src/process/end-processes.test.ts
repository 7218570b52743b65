import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { childEnv, useChildFixture, waitForFile } from './child-fixtures.ts';
import { endProcesses, findByMarker } from './end-processes.ts';
import { processStartTime } from './process-table.ts';

const strays: ChildProcess[] = [];
// Registered first, so that it runs before the fixture looks for processes that are left.
const fixture = useChildFixture('stray');
afterEach(() => {
  for (const stray of strays.splice(0)) stray.kill('SIGKILL');
});

/** A process of its own, as a run that was killed leaves it behind. */
async function startStray(script: string): Promise<{ pid: number; startTime: string }> {
  const env = { ...childEnv, RALPH_TURN: fixture.marker() };
  const stray = spawn('/bin/sh', ['-c', `touch ready; ${script}`], { cwd: fixture.folder(), env, detached: true, stdio: 'ignore' });
  strays.push(stray);
  await waitForFile(fixture.path('ready'));
  const pid = stray.pid ?? 0;
  return { pid, startTime: processStartTime(pid) ?? '' };
}

describe('finding processes by their marker', () => {
  it('gives command and memory of each, by the beginning of the marker', async () => {
    const ref = await startStray('sleep 61 & wait');
    await delay(30);
    const found = findByMarker('stray/').filter((process) => process.marker === fixture.marker());
    expect(found.map((process) => process.command).sort()).toEqual(['/bin/sh -c touch ready; sleep 61 & wait', 'sleep 61']);
    expect(found.find((process) => process.pid === ref.pid)?.startTime).toBe(ref.startTime);
    if (process.platform === 'linux') expect(found.every((process) => (process.rssBytes ?? 0) > 1000)).toBe(true);
    expect(findByMarker('stray/of nobody')).toEqual([]);
    await endProcesses(() => found);
  });
});

describe('ending processes', () => {
  it('ends them and what they started, by force where needed', async () => {
    const ref = await startStray("trap '' TERM; (setsid env -i sleep 62; true) & while :; do sleep 0.05; done");
    await delay(50);
    const { signalled, survivors } = await endProcesses(() => [ref], 100);
    expect(signalled).toBeGreaterThanOrEqual(3);
    expect(survivors).toEqual([]);
    expect(processStartTime(ref.pid)).toBeUndefined();
  });

  it('leaves a process alone whose pid was given to somebody else', async () => {
    const ref = await startStray('exec sleep 63');
    expect(await endProcesses(() => [{ ...ref, startTime: 'before' }], 50)).toEqual({ signalled: 0, survivors: [] });
    expect(processStartTime(ref.pid)).toBe(ref.startTime);
    expect((await endProcesses(() => [ref], 1000)).signalled).toBe(1);
  });

  it('never touches this process, its ancestors, or what hangs below them', async () => {
    const ref = await startStray('exec sleep 64');
    const ancestors = [process.pid, process.ppid, 1].map((pid) => ({ pid, startTime: processStartTime(pid) ?? '' }));
    expect(await endProcesses(() => ancestors, 50)).toEqual({ signalled: 0, survivors: [] });
    expect(processStartTime(ref.pid)).toBe(ref.startTime);
    await endProcesses(() => [ref], 1000);
  });

  it('has nothing to do for an empty list and for processes that are gone', async () => {
    expect(await endProcesses(() => [])).toEqual({ signalled: 0, survivors: [] });
    expect(await endProcesses(() => [{ pid: 2 ** 30, startTime: 'x' }])).toEqual({ signalled: 0, survivors: [] });
  });
});

describe('the start time of a process', () => {
  it('is stable, and absent for pids that cannot be', () => {
    expect(processStartTime(process.pid)).toBe(processStartTime(process.pid));
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 30]) expect(processStartTime(pid)).toBeUndefined();
  });
});
