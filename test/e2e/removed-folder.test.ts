import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { plainEnvironment, RALPH, withFolder } from './ralph.ts';

test.each(['validate', 'explain', 'status', 'run'])('%s in a folder that was removed says so, without a stack trace', async (command) => {
  await withFolder({}, async (folder) => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', process.execPath, RALPH, command], {
      cwd: folder,
      env: plainEnvironment(),
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^ralph: The folder you are in cannot be used .*\n {2}Why: .*\n {2}Fix: .*\n$/);
  });
});
