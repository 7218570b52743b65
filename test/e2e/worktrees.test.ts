import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findIsolation } from '../../src/process/index.ts';
import { SCRIPT_BACKEND, toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { readStatus, until } from './run-facts.ts';

const search = await findIsolation();
const isolation = search.ok ? search.value : null;
const WORKTREE = ['run', '-p', 'work', '--no-tui', '--worktree'];

describe.concurrent('a run in a worktree', () => {
  test('works on a branch of its own, with the shared folders and the person’s changes, which it never commits; the main checkout stays as it is', async () => {
    const config = 'worktree: { link: [node_modules, missing] }\nevent_loop: { checkpoint_interval: 1 }\n';
    const body = 'cat mine.txt tracked.txt node_modules/x.txt > seen.txt 2> /dev/null; echo LOOP_COMPLETE';
    const files = toFiles(config, body, { 'tracked.txt': 'old\n', '.gitignore': 'node_modules\n', 'node_modules/x.txt': 'shared\n' });
    await withPlace(files, async (folder) => {
      makeRepository(folder);
      writeFileSync(join(folder, 'tracked.txt'), 'changed\n');
      writeFileSync(join(folder, 'mine.txt'), 'untracked\n');
      const before = git(folder, 'status', '--porcelain');
      const { code, stdout, stderr } = await ralph(folder, [...WORKTREE, 'blue']);
      expect(code, stdout + stderr).toBe(0);
      expect(stderr).toContain(
        '2 files with changes of yours that are not committed come along into the worktree, and stay out of its commits',
      );
      const tree = join(folder, '.ralph/worktrees/blue');
      expect(readFileSync(join(tree, 'seen.txt'), 'utf8')).toBe('untracked\nchanged\nshared\n');
      expect(lstatSync(join(tree, 'node_modules')).isSymbolicLink()).toBe(true);
      expect(git(tree, 'branch', '--show-current')).toBe('ralph/blue');
      expect(git(folder, 'branch', '--show-current')).toBe('main');
      expect(git(folder, 'status', '--porcelain')).toBe(before);
      expect(git(folder, 'show', '--format=', '--name-only', 'ralph/blue')).toBe('seen.txt');
      expect(existsSync(join(tree, '.ralph'))).toBe(false);
      const { runId } = await readStatus(folder);
      expect(readdirSync(join(folder, '.ralph/runs'))).toEqual([runId]);
      expect((await readStatus(tree)).runId).toBe(runId);
      expect(git(tree, 'status', '--porcelain')).not.toContain('.agent');
    });
  });

  test('goes on beside a run in the main checkout and another worktree, each with its own events', async () => {
    const body = `
ralph emit note.taken "from $(basename "$PWD")"
touch "here-$(basename "$PWD")"
until [ -f go ]; do sleep 0.05; done
echo LOOP_COMPLETE`;
    await withPlace(toFiles('', body), async (folder) => {
      makeRepository(folder);
      const runs = [start(folder, ['run', '-p', 'work']), start(folder, [...WORKTREE, 'one']), start(folder, [...WORKTREE, 'two'])];
      const places = [folder, join(folder, '.ralph/worktrees/one'), join(folder, '.ralph/worktrees/two')];
      await until('all three to be at work', () =>
        places.every((place) => existsSync(place) && readdirSync(place).some((name) => name.startsWith('here-'))),
      );
      const listed = readJsonLines<{ readonly status: string; readonly workspace: string; readonly runId: string }>(
        (await ralph(folder, ['runs', '--format', 'json'])).stdout,
      );
      expect(listed.map((run) => run.status)).toEqual(['running', 'running', 'running']);
      expect(new Set(listed.map((run) => run.workspace))).toEqual(new Set(places));
      const rival = await ralph(folder, [...WORKTREE, 'one']);
      expect(rival.code).toBe(1);
      expect(rival.stderr).toContain(listed.find((run) => run.workspace.endsWith('one'))?.runId);
      for (const place of places) writeFileSync(join(place, 'go'), '');
      for (const run of runs) expect((await run.done).code).toBe(0);
      for (const { runId, workspace } of listed) {
        const { stdout } = await ralph(folder, ['events', runId, '--topic', 'note.taken', '--format', 'json']);
        expect(readJsonLines<{ payload: string }>(stdout).map((event) => event.payload)).toEqual([`from ${workspace.split('/').at(-1)}`]);
      }
    });
  });

  test('is resumed in that worktree, from the main checkout and from inside of it', async () => {
    const body =
      'n=$(nth turn); echo "$n" > "made-$n.txt"; if [ "$n" = 1 ]; then touch hangs; sleep 1000; fi; [ "$n" -lt 3 ] || echo LOOP_COMPLETE';
    await withPlace(toFiles('', body), async (folder) => {
      makeRepository(folder);
      const run = start(folder, [...WORKTREE, 'blue']);
      const tree = join(folder, '.ralph/worktrees/blue');
      await until('the agent to be at work', () => existsSync(join(tree, 'hangs')));
      run.child.kill('SIGKILL');
      await run.done;
      const limited = await ralph(folder, ['resume', '--max-iterations', '1', '-q']);
      expect(limited.code, limited.stdout + limited.stderr).toBe(2);
      const { code, stdout, stderr } = await ralph(tree, ['resume', '--max-iterations', '+5', '-q']);
      expect(code, stdout + stderr).toBe(0);
      expect(
        readdirSync(tree)
          .filter((name) => name.startsWith('made'))
          .sort(),
      ).toEqual(['made-1.txt', 'made-2.txt', 'made-3.txt']);
      expect(readdirSync(folder).filter((name) => name.startsWith('made'))).toEqual([]);
      expect(findProcesses(folder)).toEqual([]);
    });
  });

  test('ends as workspace_gone when the worktree is removed; a resume makes it anew', async () => {
    await withPlace(
      toFiles('', 'if git rev-parse -q --verify gone > /dev/null; then echo LOOP_COMPLETE; else git tag gone; rm -rf "$PWD"; fi'),
      async (folder) => {
        makeRepository(folder);
        const { code, stdout } = await ralph(folder, [...WORKTREE, 'blue']);
        expect(code, stdout).toBe(1);
        expect(stdout).toContain('workspace_gone');
        expect(stdout).toContain('ralph resume');
        const resumed = await ralph(folder, ['resume']);
        expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
      },
    );
  });

  test('is where the configuration says so, with a name that tells of the run and its task, and is not with --in-place', async () => {
    await withPlace(toFiles('workspace: worktree\n', 'echo x > made.txt; echo LOOP_COMPLETE'), async (folder) => {
      makeRepository(folder);
      const { code, stdout, stderr } = await ralph(folder, ['run', '-p', 'Make the tests pass', '--no-tui']);
      expect(code, stdout + stderr).toBe(0);
      const { runId } = await readStatus(folder);
      const name = `${runId}-make-the-tests-pass`;
      expect(git(folder, 'log', '-1', '--format=%s', `ralph/${name}`)).toBe('ralph: Make the tests pass');
      expect(stdout).toContain('in 1 commit. Merge it: ralph land');
      const settings = JSON.parse(readFileSync(join(folder, `.ralph/runs/${runId}/settings.json`), 'utf8'));
      expect(settings.base).toEqual({ commit: git(folder, 'rev-parse', 'main'), branch: 'main' });
      const here = await ralph(folder, ['run', '-p', 'work', '--in-place', '--no-tui']);
      expect(here.code, here.stderr).toBe(0);
      expect(here.stdout).toContain('Not committed: 1 file that the run changed (made.txt)');
      expect(git(folder, 'log', '--format=%s')).toBe('first');
    });
  });

  test.each([
    ['a limit', ['--max-iterations', '1']],
    ['a stop', []],
  ])('keeps in a commit what was left when it ends by %s', async (_, limits) => {
    const body = 'echo x > made.txt; [ -z "$HANGS" ] || { touch ready; sleep 1000; }; exit 0';
    await withPlace(toFiles('', body), async (folder) => {
      makeRepository(folder);
      const run = start(folder, [...WORKTREE, 'blue', ...limits], limits.length === 0 ? { HANGS: '1' } : {});
      if (limits.length === 0) {
        await until('the agent to be at work', () => existsSync(join(folder, '.ralph/worktrees/blue/ready')));
        run.child.kill('SIGTERM');
      }
      const { code } = await run.done;
      expect(code).not.toBe(0);
      expect(git(folder, 'show', '--format=', '--name-only', 'ralph/blue')).toContain('made.txt');
      expect(git(join(folder, '.ralph/worktrees/blue'), 'status', '--porcelain')).not.toContain('made.txt');
    });
  });

  test('keeps in a commit what was left when it was killed, as soon as another run begins', async () => {
    const body = 'if [ -f hangs ]; then echo LOOP_COMPLETE; else echo x > made.txt; touch hangs; sleep 1000; fi';
    await withPlace(toFiles('', body, { '.gitignore': '' }), async (folder) => {
      makeRepository(folder);
      const run = start(folder, [...WORKTREE, 'blue']);
      const tree = join(folder, '.ralph/worktrees/blue');
      await until('the agent to be at work', () => existsSync(join(tree, 'hangs')));
      run.child.kill('SIGKILL');
      await run.done;
      expect(git(folder, 'rev-list', '--count', 'main..ralph/blue')).toBe('0');
      writeFileSync(join(folder, 'hangs'), '');
      const other = await ralph(folder, ['run', '-p', 'work', '--in-place', '-q']);
      expect(other.code, other.stderr).toBe(0);
      expect(git(folder, 'show', '--format=', '--name-only', 'ralph/blue')).toBe('hangs\nmade.txt');
      expect(findProcesses(folder)).toEqual([]);
    });
  });

  test.each([
    ['outside of a repository', () => undefined, 'and'],
    ['before the first commit', (folder: string) => void git(folder, 'init', '-q'), 'A worktree begins at a commit'],
  ])('is refused %s, with what can be done instead', async (_, prepare, words) => {
    await withPlace(toFiles('workspace: worktree\n', 'echo LOOP_COMPLETE'), async (folder) => {
      prepare(folder);
      const refused = await ralph(folder, ['run', '-p', 'work']);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(words);
      expect(refused.stderr).toContain('ralph run --in-place');
      expect((await ralph(folder, ['run', '-p', 'work', '--in-place', '-q'])).code).toBe(0);
    });
  });

  test('with a name that is taken, or none, or for a branch that exists, is told apart', async () => {
    await withPlace({ 'ralph.yml': SCRIPT_BACKEND, 'agent.sh': '#!/bin/sh\necho LOOP_COMPLETE\n' }, async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, [...WORKTREE, 'blue'])).code).toBe(0);
      const again = await ralph(folder, [...WORKTREE, 'blue']);
      expect(again.code).not.toBe(0);
      expect(again.stderr).toContain('blue');
      const bad = await ralph(folder, [...WORKTREE, '../up']);
      expect(bad.code).toBe(2);
      const unnamed = await ralph(folder, ['run', '--worktree', '-p', 'work', '-q']);
      expect(unnamed.code, unnamed.stderr).toBe(0);
      expect(readdirSync(join(folder, '.ralph/worktrees')).filter((name) => !name.endsWith('.lock'))).toHaveLength(2);
    });
  });

  test.skipIf(isolation === null)(
    'is out of sight for the gates of a run in the folder itself, whose tools would take its tests for their own',
    async () => {
      const files = toFiles(
        'gates: [{ on: [task.complete], run: test -z "$(find .ralph/worktrees -name red.txt)" }]\n',
        'echo LOOP_COMPLETE',
      );
      await withPlace(files, async (folder) => {
        makeRepository(folder);
        expect((await ralph(folder, [...WORKTREE, 'blue', '--no-gates'])).code).toBe(0);
        writeFileSync(join(folder, '.ralph/worktrees/blue/red.txt'), '');
        const inPlace = await ralph(folder, ['run', '-p', 'work', '--in-place', '--no-tui']);
        expect(inPlace.code, inPlace.stdout + inPlace.stderr).toBe(0);
        expect(existsSync(join(folder, '.ralph/worktrees/blue/red.txt'))).toBe(true);
      });
    },
  );
});
