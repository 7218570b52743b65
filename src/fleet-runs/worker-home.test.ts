import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processStartTime } from '../process/process-table.ts';
import { openWorkerHome, sweepWorkerHomes, toNextName, toWorkerMark } from './worker-home.ts';

const programs: ChildProcess[] = [];
let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'worker-home-'));
});
afterEach(() => {
  for (const program of programs.splice(0)) program.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

/** Numbers of processes go no higher. */
const DEAD = { pid: 2 ** 30, startTime: 'x' };

function leaveHome(name: string, id: string, token: string): string {
  const home = join(root, name);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'worker.json'), JSON.stringify({ id, token, ...DEAD }));
  writeFileSync(join(home, 'left.txt'), '');
  return home;
}

/** A program that a worker started, in a group of its own. */
async function startProgram(worker: { readonly id: string; readonly token: string }): Promise<ChildProcess> {
  const env = { PATH: process.env['PATH'], RALPH_TURN: `${toWorkerMark(worker)}/run-1/1.1` };
  const ready = join(root, `ready-${programs.length}`);
  const program = spawn('/bin/sh', ['-c', `touch '${ready}'; exec sleep 60`], { env, detached: true, stdio: 'ignore' });
  programs.push(program);
  await expect.poll(() => existsSync(ready), { timeout: 10_000 }).toBe(true);
  return program;
}

function isThere({ pid = 0 }: ChildProcess): boolean {
  return processStartTime(pid) !== undefined;
}

describe('the folder of a worker that lives', () => {
  const refusal = async (home: string, id: string): Promise<string> => {
    mkdirSync(home);
    const own = { token: 't', pid: process.pid, startTime: processStartTime(process.pid) };
    writeFileSync(join(home, 'worker.json'), JSON.stringify({ id: 'gpu', ...own }));
    const error: unknown = await openWorkerHome(home, id).catch((found: unknown) => found);
    expect(error).toMatchObject({ code: 'worker-home' });
    return (error as { fix: string }).fix.split('\n')[0] ?? '';
  };

  it('is refused with a line that starts another one: of a name of its own, and in a folder of its own', async () => {
    expect(await refusal(join(root, 'gpu'), 'gpu')).toMatch(/: ralph worker --name gpu-2$/);
    expect(await refusal(join(root, 'home'), 'vm-1a2b3c')).toMatch(/: ralph worker --home \S+\/home-2$/);
    expect(await refusal(join(root, 'other'), 'gpu')).toMatch(/: ralph worker --name gpu-2 --home \S+\/other-2$/);
    expect([toNextName('gpu-2'), toNextName('w'.repeat(60))]).toEqual(['gpu-3', `${'w'.repeat(50)}-2`]);
  });
});

describe('the folder of a worker that was killed', () => {
  it('is cleared by the next one, which ends what that one started, and nothing of a worker of the same name for another fleet', async () => {
    const [killed, other] = [
      { id: 'w1', token: '11111111-a' },
      { id: 'w1', token: '22222222-b' },
    ];
    const home = leaveHome('home', killed.id, killed.token);
    const [left, elsewhere] = [await startProgram(killed), await startProgram(other)];
    expect(await openWorkerHome(home, 'w1')).toBe(killed.token);
    await expect.poll(() => isThere(left)).toBe(false);
    expect([isThere(elsewhere), existsSync(join(home, 'left.txt'))]).toEqual([true, false]);
  });

  it('is removed when others are swept, and so are its programs alone', async () => {
    const [killed, other] = [
      { id: 'w1', token: '33333333-a' },
      { id: 'w1', token: '44444444-b' },
    ];
    leaveHome('homes/one', killed.id, killed.token);
    const [left, elsewhere] = [await startProgram(killed), await startProgram(other)];
    expect(await sweepWorkerHomes(join(root, 'homes'))).toMatchObject([killed]);
    await expect.poll(() => isThere(left)).toBe(false);
    expect([isThere(elsewhere), existsSync(join(root, 'homes/one'))]).toEqual([true, false]);
  });
});
