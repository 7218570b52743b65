import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { RalphError } from '../core/values/errors.ts';
import { runToEnd } from '../process/start-process.ts';
import { toLayout } from './layout.ts';
import { findWorkspaceHolder, lockForMerge, lockWorkspace } from './run-lock.ts';

const BASE = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-run-lock-'));
afterAll(() => rmSync(BASE, { recursive: true, force: true }));

const RUN = '20261122-101010-abcde';

/** A folder whose lock and whose run's lock are those of another machine. */
function open(name: string, runId: string) {
  const layout = toLayout(join(BASE, name));
  const locks = [join(layout.stateDir, 'lock'), join(layout.runsDir, RUN, 'lock')];
  mkdirSync(join(layout.runsDir, RUN), { recursive: true });
  const owner = {
    pid: 7,
    processStart: 'boot:1',
    host: 'elsewhere.test',
    pidNamespace: null,
    pipe: null,
    runId,
    startedAt: 1000,
    command: 'x',
    nonce: 'n',
  };
  for (const lock of locks) writeFileSync(lock, JSON.stringify(owner));
  return { layout, locks };
}

async function refuse(name: string, runId: string): Promise<RalphError> {
  const { layout } = open(name, runId);
  const order = { layout, runId: '20261122-101010-zzzzz', worktree: null, command: 'run' };
  const error = await lockWorkspace(order).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RalphError) return error;
  throw new Error('the lock was taken');
}

describe('what a refused lock tells to paste', () => {
  it.each(['plain', 'with a blank', "it's $HOME"])('removes the locks and nothing else, in a folder named %s', async (name) => {
    const { fix = '' } = await refuse(name, RUN);
    const [, words = ''] = /It is gone: +(rm .*)/.exec(fix) ?? [];
    const { layout, locks } = open(name, RUN);
    const bystanders = ['a', 'with'].map((file) => join(BASE, file));
    for (const file of bystanders) writeFileSync(file, '');
    const script = `${words} && test ! -e "$1" && test ! -e "$2" && test -e "$3" && test -e "$4"`;
    const args = ['-c', script, 'sh', ...locks, ...bystanders];
    const { exitCode } = await runToEnd({
      command: '/bin/sh',
      args,
      cwd: layout.root,
      env: { PATH: '/usr/bin:/bin' },
      timeoutMs: 10_000,
    });
    expect(exitCode).toBe(0);
  });

  it.each(['x; touch /tmp/y', '../../x', '$(id)', '--all'])('names no run where the lock names %j, which is none', async (runId) => {
    const error = await refuse('forged', runId);
    expect(`${error.message}\n${error.fix}`).not.toContain(runId);
    expect(error.message).toContain('Another run');
    expect(error.fix).toMatch(/ralph status\n/);
  });
});

it.each([
  ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
  ['a folder', (path: string) => mkdirSync(path)],
])('%s in the place of a lock is told, with what moves it away', async (what, make) => {
  const layout = toLayout(join(BASE, `no file but ${what}`));
  mkdirSync(layout.stateDir, { recursive: true });
  make(join(layout.stateDir, 'lock'));
  const told = { code: 'state-folder', fix: expect.stringMatching(/^Move it away: mv '.*\/lock' '.*\/lock\.old'$/) };
  await expect(lockWorkspace({ layout, runId: RUN, worktree: null, command: 'run' })).rejects.toMatchObject(told);
  expect(() => findWorkspaceHolder(layout, null)).toThrow(expect.objectContaining(told));
});

it('a merge into a folder where a run works is refused with what is true of a merge', async () => {
  const layout = toLayout(join(BASE, 'merge'));
  mkdirSync(join(layout.runsDir, RUN), { recursive: true });
  const lock = await lockWorkspace({ layout, runId: RUN, worktree: null, command: 'ralph run' });
  try {
    await expect(lockForMerge({ layout, runId: 'none', worktree: null, command: 'ralph worktrees merge' })).rejects.toMatchObject({
      code: 'run-in-progress',
      message: expect.stringMatching(/ is under way in this folder, into which the worktree would be merged\./),
      why: 'A merge would change files under the hands of its agents.',
      fix: `Wait for it:  ralph status ${RUN}\nStop it:      ralph stop ${RUN}`,
    });
  } finally {
    lock.release();
  }
});
