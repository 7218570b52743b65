import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import type { AppApi } from '../cli-command.ts';
import { createFakeContext } from '../fixtures.ts';
import type { FullScreen } from '../terminal/full-screen.ts';
import { showStarted } from './show-started.ts';

it('a signal while the run begins keeps it from beginning', async () => {
  const fake = createFakeContext({ app: {} });
  const code = await showStarted(fake.context, async (abort) => {
    fake.signal('SIGINT');
    return { kind: 'ended', exitCode: abort.aborted ? 130 : 0, output: 'Interrupted.' };
  });
  expect([code, fake.err()]).toEqual([130, 'Interrupted.']);
});

it('a signal that comes too late for that, and too soon for the view, reaches the run', async () => {
  const child = spawn('sleep', ['60']);
  const exited = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  const gone = new Error('not there');
  const app = {
    openWatchedRun: () => {
      throw gone;
    },
  } as unknown as Partial<AppApi>;
  const fake = createFakeContext({ app, openFullScreen: async () => ({}) as FullScreen });
  const shown = showStarted(fake.context, async () => {
    fake.signal('SIGTERM');
    return { kind: 'running', runId: '20261121-223331-k7f2a', pid: child.pid ?? 0, log: '', exited: new Promise(() => undefined) };
  });
  await expect(shown).rejects.toBe(gone);
  expect(await exited).toBe('SIGTERM');
});
