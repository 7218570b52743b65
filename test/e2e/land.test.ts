import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';

const BODY = 'echo changed > tracked.txt; echo made > made.txt; echo LOOP_COMPLETE';
const FILES = { 'tracked.txt': 'old\n', 'other.txt': 'other\n', '.gitignore': '*.log\n' };

interface Landed {
  readonly folder: string;
  readonly land: (...args: readonly string[]) => ReturnType<typeof ralph>;
  readonly run: (name: string) => ReturnType<typeof ralph>;
}

/** A repository in which a run has worked in the worktree `blue`. */
async function withRun(
  body: string,
  use: (place: Landed) => Promise<void>,
  config = '',
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await withPlace(toFiles(config, body, { ...FILES, ...more }), async (folder) => {
    makeRepository(folder);
    const run = (name: string) => ralph(folder, ['run', '-p', `work in ${name}`, '--worktree', name]);
    const first = await run('blue');
    expect(first.code, first.stdout + first.stderr).toBe(0);
    await use({ folder, run, land: (...args) => ralph(folder, ['land', ...args]) });
  });
}

const commit = (folder: string, name: string, text: string): void => {
  writeFileSync(join(folder, name), text);
  git(folder, 'add', name);
  git(folder, 'commit', '-qm', `mine: ${name}`);
};

/** Everything that landing could change: branches, what is checked out, what is not committed. */
function describeAll(folder: string): readonly string[] {
  const files = readdirSync(folder)
    .filter((name) => !name.startsWith('.') || name === '.gitignore')
    .sort();
  return [
    git(folder, 'for-each-ref', 'refs/heads'),
    git(folder, 'status', '--porcelain', '-uall'),
    git(folder, 'worktree', 'list'),
    ...files.map((name) => `${name}: ${readFileSync(join(folder, name), 'latin1')}`),
  ];
}

const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

describe.concurrent('ralph land', () => {
  test('moves the branch forward, leaves what is not committed here alone, does nothing the second time, and removes the worktree', async () => {
    await withRun(BODY, async ({ folder, land }) => {
      writeFileSync(join(folder, 'other.txt'), 'mine\n');
      writeFileSync(join(folder, 'staged.txt'), 'mine\n');
      git(folder, 'add', 'staged.txt');
      const landed = await land();
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
      expect(landed.stdout).toContain('main has its 1 commit');
      expect([read(folder, 'tracked.txt'), read(folder, 'made.txt'), read(folder, 'other.txt')]).toEqual(['changed\n', 'made\n', 'mine\n']);
      expect(git(folder, 'status', '--porcelain')).toBe(' M other.txt\nA  staged.txt');
      expect(await land()).toMatchObject({ code: 0, stdout: expect.stringContaining('main already contains everything of run') });
      expect((await ralph(folder, ['review'])).stdout).toMatch(/Landed +its branch was brought to main/);
      expect((await land('--clean')).stdout).toContain('Its worktree and its branch were removed.');
      expect(git(folder, 'branch', '--list', 'ralph/*')).toBe('');
      expect(git(folder, 'worktree', 'list').split('\n')).toHaveLength(1);
      expect((await land()).code).toBe(0);
      const undo = await ralph(folder, ['undo']);
      const [revert = ''] = /(?<=It has landed on main. Take it out of there: git ).*/.exec(undo.stderr) ?? [];
      git(folder, 'stash');
      git(folder, ...revert.split(' '));
      expect(read(folder, 'tracked.txt')).toBe('old\n');
    });
  });

  test('merges into a branch that moved, with renamed and binary files, and asks the gates about the merged tree', async () => {
    const body = `git mv tracked.txt renamed.txt; printf '\\0\\377\\1' > data.bin; ${BODY.replace('echo changed > tracked.txt; ', '')}`;
    const config = 'gates: [{ name: both, run: "test -e mine.txt -a -e made.txt -o ! -e mine.txt" }]\n';
    await withRun(
      body,
      async ({ folder, land }) => {
        commit(folder, 'mine.txt', 'mine\n');
        const landed = await land();
        expect(landed.code, landed.stdout + landed.stderr).toBe(0);
        expect(landed.stdout).toContain('passed  both');
        expect([existsSync(join(folder, 'tracked.txt')), read(folder, 'renamed.txt'), read(folder, 'mine.txt')]).toEqual([
          false,
          'old\n',
          'mine\n',
        ]);
        expect([...readFileSync(join(folder, 'data.bin'))]).toEqual([0, 255, 1]);
        expect([git(folder, 'status', '--porcelain'), git(folder, 'rev-list', '--count', '--merges', 'HEAD')]).toEqual(['', '1']);
      },
      config,
    );
  });

  test('refuses a merged tree on which a gate is red, though it was green in the worktree, and changes nothing', async () => {
    const config = 'gates: [{ name: not-both, run: "test ! -e mine.txt || { echo both are there; exit 3; }" }]\n';
    await withRun(
      BODY,
      async ({ folder, land }) => {
        commit(folder, 'mine.txt', 'mine\n');
        const before = describeAll(folder);
        const refused = await land();
        expect(refused.code).toBe(1);
        for (const text of ['FAILED  not-both', 'both are there', 'main is as it was']) expect(refused.stdout).toContain(text);
        expect(describeAll(folder)).toEqual(before);
      },
      config,
    );
  });

  test('tells a conflict with both sides and leaves everything as it was; once it is merged in the worktree, lands', async () => {
    await withRun(BODY, async ({ folder, land }) => {
      commit(folder, 'tracked.txt', 'mine\n');
      const before = describeAll(folder);
      const refused = await land();
      expect(refused.code).toBe(1);
      for (const text of ['tracked.txt: changed by both', '<<<<<<< main', 'mine', 'changed', '>>>>>>> ralph/blue'])
        expect(refused.stdout).toContain(text);
      expect(describeAll(folder)).toEqual(before);
      const json = JSON.parse((await land('--format', 'json')).stdout);
      expect(json).toMatchObject({ v: 1, outcome: 'conflict', conflicts: [{ path: 'tracked.txt' }] });
      const worktree = join(folder, '.ralph/worktrees/blue');
      expect(() => git(worktree, 'merge', 'main')).toThrow();
      writeFileSync(join(worktree, 'tracked.txt'), 'both\n');
      git(worktree, 'commit', '-qam', 'both');
      expect((await land()).code).toBe(0);
      expect(read(folder, 'tracked.txt')).toBe('both\n');
    });
  });

  test('refuses over files here that are not committed, untracked or ignored, and names them', async () => {
    await withRun(`${BODY.replace('echo LOOP', 'echo x > kept.log; git add -f kept.log; echo LOOP')}`, async ({ folder, land }) => {
      writeFileSync(join(folder, 'tracked.txt'), 'mine\n');
      writeFileSync(join(folder, 'made.txt'), 'mine\n');
      writeFileSync(join(folder, 'kept.log'), 'mine\n');
      const before = describeAll(folder);
      const refused = await land();
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/not committed: .*(?=.*tracked\.txt)(?=.*made\.txt)(?=.*kept\.log)/);
      expect(describeAll(folder)).toEqual(before);
    });
  });

  test('lands two runs one after the other, the second as one commit on another branch that is checked out nowhere', async () => {
    const body = 'echo $RALPH_RUN_ID > "$(basename "$PWD").txt"; echo LOOP_COMPLETE';
    await withRun(body, async ({ folder, land, run }) => {
      expect((await run('red')).code).toBe(0);
      const [red = '', blue = ''] = readdirSync(join(folder, '.ralph/runs')).sort().reverse();
      expect((await land(blue)).code).toBe(0);
      git(folder, 'branch', 'next', 'HEAD~1');
      const landed = await land(red, '--squash', '--onto', 'next');
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
      expect(git(folder, 'log', '--format=%s', 'next').split('\n')).toEqual(['work in red', 'first']);
      expect((await land(red, '--onto', 'next')).stdout).toContain('next already contains everything');
      expect((await land(red)).code).toBe(0);
      expect(
        readdirSync(folder)
          .filter((name) => name.endsWith('.txt') && name !== 'tracked.txt' && name !== 'other.txt')
          .sort(),
      ).toEqual(['blue.txt', 'red.txt']);
      expect((await land(red, '--squash', '--clean')).code).toBe(0);
      expect(git(folder, 'branch', '--list', 'ralph/red')).toBe('');
    });
  });

  test('says what to do for a run in place, an unfinished run, a branch that is not there, a detached HEAD', async () => {
    await withPlace(toFiles('', BODY, FILES), async (folder) => {
      makeRepository(folder);
      await ralph(folder, ['run', '-p', 'work', '--in-place']);
      expect(await ralph(folder, ['land'])).toMatchObject({ code: 1, stderr: expect.stringContaining('there is nothing to land') });
    });
    await withRun(BODY, async ({ folder, land }) => {
      const nowhere = await land('--onto', 'nowhere');
      for (const text of ['there is no branch "nowhere"', 'Name a branch that is there']) expect(nowhere.stderr).toContain(text);
      writeFileSync(join(folder, '.git/MERGE_HEAD'), git(folder, 'rev-parse', 'main'));
      const merging = await land();
      expect(merging.stderr).toMatch(/a merge is under way in .*End it there.*Then again: ralph land/s);
      expect(merging.stderr).not.toContain('--onto');
      rmSync(join(folder, '.git/MERGE_HEAD'));
      expect((await land('--onto', 'ralph/blue')).stderr).toContain('the branch of the run itself');
      git(folder, 'checkout', '-q', '--detach');
      expect((await land()).code).toBe(0);
      expect([read(folder, 'tracked.txt'), git(folder, 'show', 'main:tracked.txt')]).toEqual(['old\n', 'changed']);
    });
    await withPlace(toFiles('event_loop: { max_iterations: 1 }\n', 'echo half > half.txt', FILES), async (folder) => {
      makeRepository(folder);
      await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue']);
      expect((await ralph(folder, ['land'])).stderr).toContain('has not completed (max_iterations)');
      expect((await ralph(folder, ['land', '--unfinished'])).code).toBe(0);
      expect(read(folder, 'half.txt')).toBe('half\n');
    });
  });

  test('goes on after a kill: in the gates, and in the middle of the move', async () => {
    const config = 'gates: [{ name: slow, run: "test ! -e made.txt || test ! -e ../../../slow || { touch ../../../asked; sleep 30; }" }]\n';
    await withRun(
      BODY,
      async ({ folder, land }) => {
        const before = describeAll(folder);
        writeFileSync(join(folder, 'slow'), '');
        const landing = start(folder, ['land']);
        while (!existsSync(join(folder, 'asked'))) await new Promise((resolve) => setTimeout(resolve, 20));
        landing.child.kill('SIGKILL');
        await landing.done;
        for (const name of ['slow', 'asked']) rmSync(join(folder, name));
        expect(describeAll(folder).slice(0, 2)).toEqual(before.slice(0, 2));
        // As a git leaves it that was killed when it had written the first files.
        const [runId = ''] = readdirSync(join(folder, '.ralph/runs'));
        const [source, from] = [git(folder, 'rev-parse', 'ralph/blue'), git(folder, 'rev-parse', 'main')];
        const record = { version: 1, onto: 'main', source, from, to: source, at: 1 };
        writeFileSync(join(folder, '.ralph/runs', runId, 'land.json'), JSON.stringify(record));
        writeFileSync(join(folder, 'tracked.txt'), 'changed\n');
        const landed = await land();
        expect(landed.code, landed.stdout + landed.stderr).toBe(0);
        expect([git(folder, 'status', '--porcelain'), read(folder, 'made.txt')]).toEqual(['', 'made\n']);
        expect(git(folder, 'worktree', 'list').split('\n')).toHaveLength(2);
      },
      config,
    );
  });

  test('leaves the index alone while a run is under way where it would land, also after a kill', async () => {
    await withRun(`if [ -e hold ]; then touch held; sleep 60; fi; ${BODY}`, async ({ folder }) => {
      const [runId = ''] = readdirSync(join(folder, '.ralph/runs'));
      const [source, from] = [git(folder, 'rev-parse', 'ralph/blue'), git(folder, 'rev-parse', 'main')];
      writeFileSync(join(folder, 'hold'), '');
      const run = start(folder, ['run', '-p', 'work', '--in-place']);
      while (!existsSync(join(folder, 'held'))) await new Promise((resolve) => setTimeout(resolve, 20));
      const record = { version: 1, onto: 'main', source, from, to: source, at: 1 };
      writeFileSync(join(folder, '.ralph/runs', runId, 'land.json'), JSON.stringify(record));
      writeFileSync(join(folder, 'tracked.txt'), 'changed\n');
      const refused = await ralph(folder, ['land', runId]);
      run.child.kill('SIGINT');
      await run.done;
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('into which the worktree would be merged') });
      expect(git(folder, 'diff', '--cached', '--name-only')).toBe('');
    });
  });

  test('lands a submodule that the run moved, and what an undo left in the worktree', async () => {
    await withPlace({ 'in.txt': '1\n' }, async (library) => {
      makeRepository(library);
      await withPlace(
        toFiles('', 'git update-index --cacheinfo 160000,$(cat new),lib; git commit -qm moved; echo LOOP_COMPLETE', FILES),
        async (folder) => {
          git(folder, 'init', '-q', '-b', 'main');
          git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
          commit(library, 'in.txt', '2\n');
          writeFileSync(join(folder, 'new'), git(library, 'rev-parse', 'HEAD'));
          git(folder, 'add', '.');
          git(folder, 'commit', '-qm', 'first');
          const run = await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue'], {
            GIT_AUTHOR_NAME: 'a',
            GIT_AUTHOR_EMAIL: 'a@b.c',
            GIT_COMMITTER_NAME: 'a',
            GIT_COMMITTER_EMAIL: 'a@b.c',
          });
          expect(run.code, run.stdout + run.stderr).toBe(0);
          const landed = await ralph(folder, ['land']);
          expect(landed.code, landed.stdout + landed.stderr).toBe(0);
          expect(git(folder, 'ls-tree', 'HEAD', 'lib')).toContain(git(library, 'rev-parse', 'HEAD'));
          expect(read(folder, 'lib/in.txt')).toBe('1\n');
        },
      );
    });
  });
});
