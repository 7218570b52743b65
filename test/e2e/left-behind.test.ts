/** What a killed run left working is not passed over by who looks at the run or takes its work back. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { makeRepository } from './git.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';
import { until } from './run-facts.ts';

const BODY = 'while :; do echo x >> tracked.txt; touch hangs; sleep 0.2; done';

test('a killed run whose agent still writes is not undone; status and review name it and how to end it; then it is', async () => {
  await withPlace(toFiles('isolation: off\n', BODY, { 'tracked.txt': 'old\n', '.gitignore': 'hangs\n' }), async (folder) => {
    makeRepository(folder);
    const run = start(folder, ['run', '-p', 'work', '--in-place', '--no-tui']);
    await until('the agent to work', () => existsSync(join(folder, 'hangs')));
    run.child.kill('SIGKILL');
    await run.done;
    expect(findProcesses(folder)).not.toEqual([]);
    for (const command of ['status', 'review']) {
      const told = (await ralph(folder, [command])).stdout;
      expect(told).toMatch(/Left +.*still at work.*ralph reap/);
    }
    const refused = await ralph(folder, ['undo', '--yes']);
    expect(refused.code, refused.stdout).toBe(1);
    expect(refused.stderr).toMatch(/still at work/);
    expect(refused.stderr).toContain('ralph reap');
    expect((await ralph(folder, ['reap'])).code).toBe(0);
    expect((await ralph(folder, ['status'])).stdout).not.toContain('still at work');
    const undone = await ralph(folder, ['undo', '--yes']);
    expect(undone.stdout + undone.stderr).not.toContain('still at work');
  });
});
