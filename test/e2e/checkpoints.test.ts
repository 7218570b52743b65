import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';
import { readStatus, until } from './run-facts.ts';

const RUN = ['run', '-p', 'work', '--no-tui'];
const WRITER = 'n=$(nth turn); echo "$n" > "made-$n.txt"; echo "turn $n" >> both.txt; [ "$n" -lt 4 ] || echo LOOP_COMPLETE';

describe.concurrent('checkpoints', () => {
  test('are made every so many turns, of what the agents changed alone; dirty and staged files of the user stay as they were', async () => {
    const files = toFiles('event_loop: { checkpoint_interval: 2 }\n', WRITER, {
      'both.txt': 'a\n',
      'staged.txt': 'a\n',
      'dirty.txt': 'a\n',
    });
    await withPlace(files, async (folder) => {
      makeRepository(folder);
      writeFileSync(join(folder, 'staged.txt'), 'staged by me\n');
      git(folder, 'add', 'staged.txt');
      writeFileSync(join(folder, 'dirty.txt'), 'dirty\n');
      writeFileSync(join(folder, 'both.txt'), 'mine\n');
      writeFileSync(join(folder, 'untracked.txt'), 'mine\n');
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(git(folder, 'log', '--format=%s').split('\n')).toEqual([
        'ralph: checkpoint after iteration 4',
        'ralph: checkpoint after iteration 2',
        'first',
      ]);
      expect(git(folder, 'log', '--format=', '--name-only', '-2').split('\n')).toEqual([
        'made-3.txt',
        'made-4.txt',
        'made-1.txt',
        'made-2.txt',
      ]);
      expect(git(folder, 'status', '--porcelain').split('\n')).toEqual([
        ' M both.txt',
        ' M dirty.txt',
        'M  staged.txt',
        '?? untracked.txt',
      ]);
      expect(readFileSync(join(folder, 'both.txt'), 'utf8')).toContain('mine\nturn 1');
      const { checkpoints } = await readStatus(folder);
      expect(checkpoints.map((entry) => entry.leftOut)).toEqual([['both.txt'], ['both.txt']]);
      expect(stdout).toContain('both.txt');
      expect(git(folder, 'stash', 'list')).toBe('');
      expect(git(folder, 'log', '-1', '--format=%(trailers:key=Ralph-Run,valueonly)').trim()).toBe((await readStatus(folder)).runId);
    });
  });

  test('go to a branch of their own where one is named, and HEAD stays where it is', async () => {
    await withPlace(
      toFiles('event_loop: { checkpoint_interval: 2, checkpoint_branch: ralph/work }\n', WRITER, { 'both.txt': '' }),
      async (folder) => {
        makeRepository(folder);
        const head = git(folder, 'rev-parse', 'HEAD');
        const { code, stdout } = await ralph(folder, RUN);
        expect(code, stdout).toBe(0);
        expect(git(folder, 'rev-parse', 'HEAD')).toBe(head);
        expect(git(folder, 'branch', '--show-current')).toBe('main');
        expect(git(folder, 'rev-list', '--count', 'main..ralph/work')).toBe('2');
        expect(git(folder, 'show', 'ralph/work:made-4.txt')).toBe('4');
        expect(git(folder, 'diff', '--cached', '--name-only')).toBe('');
      },
    );
  });

  test('run no hook, ask for no signature, and need no identity', async () => {
    await withPlace(toFiles('event_loop: { checkpoint_interval: 1 }\n', WRITER, { 'both.txt': '' }), async (folder) => {
      makeRepository(folder);
      git(folder, 'config', 'commit.gpgsign', 'true');
      git(folder, 'config', 'gpg.program', '/bin/false');
      git(folder, 'config', 'user.useConfigOnly', 'true');
      writeFileSync(join(folder, '.git/hooks/pre-commit'), '#!/bin/sh\ntouch hooked\nexit 1\n', { mode: 0o755 });
      const { code, stdout } = await ralph(folder, RUN, { HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' });
      expect(code, stdout).toBe(0);
      expect(git(folder, 'log', '-1', '--format=%s by %an')).toBe('ralph: checkpoint after iteration 4 by Ralph');
      expect(git(folder, 'status', '--porcelain')).toBe('');
    });
  });

  test('take a file that an agent committed or staged by itself as the run’s', async () => {
    const body =
      'echo x > by-agent.txt; git add by-agent.txt; git -c user.name=A -c user.email=a@x commit -qm "agent: add"; echo y > later.txt; git add later.txt; echo LOOP_COMPLETE';
    await withPlace(toFiles('event_loop: { checkpoint_interval: 1 }\n', body), async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, RUN)).code).toBe(0);
      expect(git(folder, 'log', '--format=%s').split('\n')).toEqual(['ralph: checkpoint after iteration 1', 'agent: add', 'first']);
      expect(git(folder, 'status', '--porcelain')).toBe('');
    });
  });

  test('are still made after a kill and a resume, and still leave the user’s files alone', async () => {
    const body =
      'n=$(nth turn); echo "$n" > "made-$n.txt"; echo agent > dirty.txt; if [ "$n" = 1 ]; then touch hangs; sleep 1000; fi; [ "$n" -lt 3 ] || echo LOOP_COMPLETE';
    await withPlace(toFiles('event_loop: { checkpoint_interval: 1 }\n', body, { 'dirty.txt': 'a\n' }), async (folder) => {
      makeRepository(folder);
      writeFileSync(join(folder, 'dirty.txt'), 'mine\n');
      const run = start(folder, RUN);
      await until('the agent to be at work', () => existsSync(join(folder, 'hangs')));
      run.child.kill('SIGKILL');
      expect((await run.done).signal).toBe('SIGKILL');
      const { code, stdout } = await ralph(folder, ['resume']);
      expect(code, stdout).toBe(0);
      expect(git(folder, 'log', '--format=%s').split('\n')).toHaveLength(3);
      expect(git(folder, 'ls-tree', '--name-only', 'HEAD')).toContain('made-3.txt');
      expect(git(folder, 'show', 'HEAD:dirty.txt')).toBe('a');
    });
  });
});
