import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { reapRun } from './processes.ts';

const RUN = `reaped-${process.pid}`;

describe.skipIf(process.platform !== 'linux')('what a dead run left', () => {
  it('is ended also where it becomes another program all the time, and shows no environment while it does', async () => {
    for (let trial = 0; trial < 12; trial += 1) {
      const stray = spawn('/bin/sh', ['-c', 'exec /bin/sh -c "$0" "$0"', 'echo; exec /bin/sh -c "$0" "$0"'], {
        env: { RALPH_TURN: `${RUN}/1.1` },
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const ended = once(stray, 'exit');
      await once(stray.stdout, 'data');
      stray.stdout.resume();
      try {
        await reapRun(RUN);
        expect(await Promise.race([ended, delay(500, 'still at work')]), `trial ${trial}`).not.toBe('still at work');
      } finally {
        stray.kill('SIGKILL');
        await ended;
      }
    }
  });

  it.each(['/dev/shm', tmpdir()].filter((place) => existsSync(place)))(
    'includes the pipes that it was making in %s: those of the living stay, and what is no pipe',
    async (place) => {
      const dead = mkdtempSync(join(place, 'ralph-pipes-1073741824-'));
      const living = mkdtempSync(join(place, `ralph-pipes-${process.pid}-`));
      // Filled before it has its name: another run that ends may look as well.
      const filled = mkdtempSync(join(place, 'ralph-tests-'));
      writeFileSync(join(filled, 'mine'), '');
      const foreign = join(place, `ralph-pipes-1073741824-${randomUUID()}`);
      renameSync(filled, foreign);
      execFileSync('mkfifo', [join(dead, 'pipe0')]);
      try {
        await reapRun(RUN);
        expect([dead, living, foreign].map((folder) => existsSync(folder))).toEqual([false, true, true]);
      } finally {
        for (const folder of [dead, living, foreign]) rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
