import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';

const BODY = 'echo changed > tracked.txt; echo made > made.txt; rm gone.txt; echo LOOP_COMPLETE';
const FILES = { 'tracked.txt': 'old\n', 'gone.txt': 'gone\n' };

/** A repository in which a run has worked in place. */
async function withRun(body: string, use: (folder: string) => Promise<void>, config = '', args: readonly string[] = []): Promise<void> {
  await withPlace(toFiles(config, body, FILES), async (folder) => {
    makeRepository(folder);
    const run = await ralph(folder, ['run', '-p', 'work', ...args]);
    expect(run.code, run.stdout + run.stderr).toBe(0);
    await use(folder);
  });
}

function read(folder: string): readonly (string | null)[] {
  return ['tracked.txt', 'gone.txt', 'made.txt'].map((name) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null,
  );
}

const BEFORE = ['old\n', 'gone\n', null];
const AFTER = ['changed\n', null, 'made\n'];

describe.concurrent('ralph undo', () => {
  test('shows what it would do, does it with --yes, and brings it back when it is called once more', async () => {
    await withRun(BODY, async (folder) => {
      const preview = await ralph(folder, ['undo']);
      expect(preview.code).toBe(0);
      for (const text of ['tracked.txt', 'gone.txt', 'made.txt', 'Nothing was changed. Do it: ralph undo --yes', 'Void: what turn 1 did'])
        expect(preview.stdout).toContain(text);
      expect(read(folder)).toEqual(AFTER);
      expect((await ralph(folder, ['undo', '--yes'])).stdout).toContain('is undone');
      expect([read(folder), git(folder, 'status', '--porcelain')]).toEqual([BEFORE, '']);
      const review = (await ralph(folder, ['review'])).stdout;
      expect(review).toMatch(/Undone +its files were put back to what they were before its first turn/);
      expect(review).toContain('Bring its work back: `ralph undo --yes`.');
      expect((await ralph(folder, ['undo'])).stdout).toContain('would come back');
      expect((await ralph(folder, ['undo', '--yes'])).code).toBe(0);
      expect(read(folder)).toEqual(AFTER);
      expect((await ralph(folder, ['show'])).stdout).not.toContain('Undone');
    });
  });

  test('refuses over a file that a person changed since, and keeps it under --force', async () => {
    await withRun(BODY, async (folder) => {
      writeFileSync(join(folder, 'made.txt'), 'mine\n');
      const refused = await ralph(folder, ['undo', '--yes']);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('made.txt (it was changed after the last turn)') });
      expect(read(folder)).toEqual(['changed\n', null, 'mine\n']);
      expect((await ralph(folder, ['undo', '--yes', '--force'])).code).toBe(0);
      expect(read(folder)).toEqual(BEFORE);
      expect((await ralph(folder, ['undo', '--yes'])).code).toBe(0);
      expect(read(folder)).toEqual(['changed\n', null, 'mine\n']);
    });
  });

  test('leaves commits of the run where they are and says what takes them out of the history', async () => {
    await withRun(
      BODY,
      async (folder) => {
        const head = git(folder, 'rev-parse', 'HEAD');
        const { stdout } = await ralph(folder, ['undo', '--yes']);
        expect(stdout).toMatch(/1 commit since the run began stays on main: .*, then git revert --no-edit [0-9a-f]{12}\.\.[0-9a-f]{12}\n/s);
        expect([read(folder), git(folder, 'rev-parse', 'HEAD')]).toEqual([BEFORE, head]);
        await ralph(folder, ['undo', '--yes']);
        git(folder, 'revert', '--no-edit', /git revert --no-edit (\S+)/.exec(stdout)?.[1] ?? '');
        expect(read(folder)).toEqual(BEFORE);
      },
      'event_loop: { checkpoint_interval: 1 }\n',
    );
  });

  test('leaves what a person committed after the end of the run out of the revert that it advises, or says that it cannot', async () => {
    await withRun(
      BODY,
      async (folder) => {
        writeFileSync(join(folder, 'later.txt'), 'mine\n');
        git(folder, 'add', 'later.txt');
        git(folder, 'commit', '-qm', 'mine');
        const { stdout } = await ralph(folder, ['undo']);
        expect(stdout.replaceAll(/\s+/g, ' ')).toContain('(1 commit that was made after its end stays)');
        git(folder, 'revert', '--no-edit', /git revert --no-edit (\S+)/.exec(stdout)?.[1] ?? '');
        expect([read(folder), readFileSync(join(folder, 'later.txt'), 'utf8')]).toEqual([BEFORE, 'mine\n']);
        const runs = join(folder, '.ralph/runs');
        rmSync(join(runs, readdirSync(runs)[0] ?? '', 'report.json'));
        const unknown = (await ralph(folder, ['undo'])).stdout.replaceAll(/\s+/g, ' ');
        expect(unknown).toMatch(
          /git revert --no-edit [0-9a-f]{12}\.\.HEAD \(with what was committed after its end: nobody knows which commit that was\)/,
        );
      },
      'event_loop: { checkpoint_interval: 1 }\n',
    );
  });

  test('takes back the work of a run in its worktree and leaves the main checkout alone', async () => {
    await withRun(
      BODY,
      async (folder) => {
        const [name = ''] = readdirSync(join(folder, '.ralph/worktrees')).filter((entry) => !entry.endsWith('.lock'));
        const worktree = join(folder, '.ralph/worktrees', name);
        writeFileSync(join(folder, 'tracked.txt'), 'mine\n');
        expect(read(worktree)).toEqual(AFTER);
        expect((await ralph(folder, ['undo', '--yes'])).code).toBe(0);
        expect([read(worktree), read(folder)]).toEqual([BEFORE, ['mine\n', 'gone\n', null]]);
      },
      '',
      ['--worktree', 'blue'],
    );
  });

  test('is told as one object to programs, and refuses what it cannot know', async () => {
    await withRun(BODY, async (folder) => {
      const { stdout } = await ralph(folder, ['undo', '--format', 'json']);
      expect(JSON.parse(stdout)).toMatchObject({
        v: 1,
        action: 'undo',
        isDone: false,
        files: { comeBack: ['gone.txt'], changed: ['tracked.txt'], removed: ['made.txt'] },
      });
      expect((await ralph(folder, ['undo', '--to-turn', '9'])).stderr).toContain('it has no turn 9: its last is turn 1');
      expect((await ralph(folder, ['undo', '--to-turn', '1'])).stdout).toContain('There is nothing to do.');
      rmSync(join(folder, '.git'), { recursive: true });
      expect(await ralph(folder, ['undo', '--yes'])).toMatchObject({ code: 1, stderr: expect.stringContaining('is in no git repository') });
    });
  });

  test('refuses where nobody can read what an earlier one kept, and after that keeps beside it', async () => {
    await withRun(BODY, async (folder) => {
      expect((await ralph(folder, ['undo', '--yes'])).code).toBe(0);
      const runs = join(folder, '.ralph/runs');
      const [runId = ''] = readdirSync(runs);
      const file = join(runs, runId, 'undo.json');
      writeFileSync(file, '{"version": 1, "number"');
      writeFileSync(join(folder, 'made.txt'), 'mine\n');
      const kept = git(folder, 'rev-parse', `refs/ralph/${runId}/undo/1`);
      const refused = await ralph(folder, ['undo', '--yes', '--force']);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`refs/ralph/${runId}/undo/`) });
      expect(refused.stderr).toContain('Move it away: mv ');
      expect([read(folder), git(folder, 'rev-parse', `refs/ralph/${runId}/undo/1`)]).toEqual([['old\n', 'gone\n', 'mine\n'], kept]);
      rmSync(file);
      writeFileSync(join(folder, 'tracked.txt'), 'mine\n');
      expect((await ralph(folder, ['undo', '--yes', '--force'])).code).toBe(0);
      expect(git(folder, 'rev-parse', `refs/ralph/${runId}/undo/1`)).toBe(kept);
      expect(git(folder, 'show', `refs/ralph/${runId}/undo/2:tracked.txt`)).toContain('mine');
    });
  });

  test('refuses while the run is under way, and to an agent', async () => {
    const body = 'ralph=$RALPH_BIN; $ralph undo --yes > undo.txt 2>&1; touch ready; sleep 60';
    await withPlace(toFiles('', body, FILES), async (folder) => {
      makeRepository(folder);
      const run = start(folder, ['run', '-p', 'work']);
      while (!existsSync(join(folder, 'ready'))) await sleep(50);
      expect(readFileSync(join(folder, 'undo.txt'), 'utf8')).toContain('Only a person may do this');
      expect((await ralph(folder, ['undo'])).stderr).toContain('is under way in this folder');
      run.child.kill('SIGINT');
      await run.done;
    });
  });

  test('that is killed in the middle says so, can be finished, and brings everything back', async () => {
    const body = 'mkdir many; for n in $(seq 400); do echo $n > many/$n; done; echo changed > tracked.txt; echo LOOP_COMPLETE';
    await withRun(body, async (folder) => {
      const count = (): number => (existsSync(join(folder, 'many')) ? readdirSync(join(folder, 'many')).length : 0);
      const undo = start(folder, ['undo', '--yes']);
      while (count() === 400 && undo.child.exitCode === null) await new Promise(setImmediate);
      undo.child.kill('SIGKILL');
      await undo.done;
      const left = count();
      const preview = await ralph(folder, ['undo']);
      if (left > 0) expect(preview.stdout).toContain('was interrupted');
      mkdirSync(join(folder, 'mine'));
      if (left > 0) expect((await ralph(folder, ['undo', '--yes'])).stdout).toContain('is finished');
      expect([count(), readFileSync(join(folder, 'tracked.txt'), 'utf8')]).toEqual([0, 'old\n']);
      expect((await ralph(folder, ['undo', '--yes'])).code).toBe(0);
      expect([count(), readFileSync(join(folder, 'many/7'), 'utf8')]).toEqual([400, '7\n']);
    });
  });

  test('names a pipe for which git waits, as a run does that begins beside it, and works once it is removed', async () => {
    await withRun(BODY, async (folder) => {
      const pipe = join(folder, 'new/.gitignore');
      mkdirSync(join(folder, 'new'));
      for (const args of [['undo'], ['run', '-p', 'work']]) {
        execFileSync('mkfifo', [pipe]);
        const { stdout, stderr } = await ralph(folder, args);
        const words = (stdout + stderr).replaceAll(/\s+/g, ' ');
        expect(words).toContain(`in the place of ${pipe} is a pipe, and git waits for it`);
        expect(words).toContain(`Remove it: rm ${pipe}`);
        rmSync(pipe);
        if (args[0] === 'undo') expect((await ralph(folder, args)).code).toBe(0);
      }
    });
  });
});
