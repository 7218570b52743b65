import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toRunPaths } from '../journal/run-folder.ts';
import { toLayout } from '../runs/layout.ts';
import { writePeople } from '../runs/people.ts';
import { lockRun } from '../runs/run-lock.ts';
import { mergeRunWorktree, removeRunWorktree } from './worktrees.ts';

const BASE = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-worktrees-'));
afterAll(() => rmSync(BASE, { recursive: true, force: true }));

const RUN = '20261122-101010-abcde';
const TOKEN = 'a-token-that-is-long-enough-0';

describe('what belongs to a run under way', () => {
  const CALLS: readonly [string, (root: string, env: Readonly<Record<string, string>>) => Promise<unknown>][] = [
    ['removes no worktree', (root, env) => removeRunWorktree(root, 'blue', true, env)],
    ['merges no worktree', (root, env) => mergeRunWorktree(root, 'blue', env)],
  ];

  // The run's lock names this process, so that this process seems to be one of the run's own.
  it.each(CALLS)('%s, unless it brings the token of the run', async (name, call) => {
    const root = join(BASE, name);
    const layout = toLayout(root);
    const paths = toRunPaths(layout.stateDir, RUN);
    mkdirSync(paths.folder, { recursive: true });
    writePeople(paths, { who: 'open', isIsolated: false, env: { RALPH_TOKEN: TOKEN } });
    const lock = await lockRun({ layout, runId: RUN, worktree: 'red', command: 'ralph run' });
    try {
      await expect(call(root, {})).rejects.toMatchObject({ code: 'person-refused', why: 'This process belongs to the run itself.' });
      const refused = await call(root, { RALPH_TOKEN: TOKEN }).then(
        () => null,
        (error: unknown) => error,
      );
      expect(refused).not.toMatchObject({ code: 'person-refused' });
    } finally {
      lock.release();
    }
  });
});
