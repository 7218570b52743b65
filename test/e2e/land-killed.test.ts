import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';
import { until } from './run-facts.ts';

const listPlaces = (folder: string): readonly string[] =>
  git(folder, 'worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => /^worktree .*\/land-/.test(line))
    .map((line) => line.replace(/.*\//, ''));

describe.concurrent('ralph land', () => {
  test('of a killed run brings what its turn left uncommitted and ends what it left running; a review only names it', async () => {
    const body = 'echo half > half.txt; (setsid sh -c "while :; do sleep 1; done" &); touch ../../../hangs; while :; do sleep 1; done';
    await withPlace(toFiles('isolation: off\n', body), async (folder) => {
      makeRepository(folder);
      const run = start(folder, ['run', '-p', 'work', '--worktree', 'blue', '--no-tui']);
      await until('the agent to hang', () => existsSync(join(folder, 'hangs')));
      run.child.kill('SIGKILL');
      await run.done;
      const look = (): readonly string[] => [
        git(folder, 'for-each-ref'),
        git(join(folder, '.ralph/worktrees/blue'), 'status', '--porcelain'),
        ...readdirSync(join(folder, '.ralph'), { recursive: true, encoding: 'utf8' }).sort(),
      ];
      const before = look();
      const review = await ralph(folder, ['review']);
      expect(review.stdout).toContain('half.txt');
      expect(review.stdout).toMatch(/not committed|uncommitted/);
      expect(look()).toEqual(before);
      expect((await ralph(folder, ['land'])).stderr).toContain('has not completed');
      const landed = await ralph(folder, ['land', '--unfinished']);
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
      expect([readFileSync(join(folder, 'half.txt'), 'utf8'), findProcesses(folder)]).toEqual(['half\n', []]);
    });
  });

  test('that is killed together with its git, over files that git writes, begins anew', async () => {
    const slow = { '.gitattributes': '*.slow filter=slow\n', 'a.slow': 'old a\n', 'b.txt': 'old b\n', 'z.txt': 'old z\n' };
    const body = 'for name in b.txt a.slow z.txt; do echo "new $name, and longer" > $name; done; echo more > added.txt; echo LOOP_COMPLETE';
    await withPlace(toFiles('', body, slow), async (folder) => {
      const smudge = 'if test -e slow; then touch asked; sleep 60; fi; cat';
      makeRepository(folder);
      git(folder, 'config', 'filter.slow.smudge', smudge);
      const run = await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue', '-q']);
      expect(run.code, run.stdout + run.stderr).toBe(0);
      writeFileSync(join(folder, 'slow'), '');
      const landing = start(folder, ['land']);
      await until('git to write a file', () => existsSync(join(folder, 'asked')));
      for (const { pid } of findProcesses(folder)) process.kill(pid, 'SIGKILL');
      await landing.done;
      for (const name of ['slow', 'asked']) rmSync(join(folder, name));
      // As far as another file was written.
      writeFileSync(join(folder, 'z.txt'), 'new z.');
      expect([existsSync(join(folder, '.git/index.lock')), existsSync(join(folder, 'a.slow'))]).toEqual([true, false]);
      const landed = await ralph(folder, ['land']);
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
      expect(['a.slow', 'b.txt', 'z.txt', 'added.txt'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
        'new a.slow, and longer\n',
        'new b.txt, and longer\n',
        'new z.txt, and longer\n',
        'more\n',
      ]);
      expect(git(folder, 'status', '--porcelain')).toBe('');
    });
  });

  test('whose last commit fails says why: at the next start, in a review, and where it is landed', async () => {
    const merging = 'git rev-parse HEAD > "$(git rev-parse --git-dir)/MERGE_HEAD"';
    const body = `test -e ../../../hangs && { echo LOOP_COMPLETE; exit; }; ${merging}; echo half > half.txt; touch ../../../hangs; while :; do sleep 1; done`;
    await withPlace(toFiles('isolation: off\n', body), async (folder) => {
      makeRepository(folder);
      const run = start(folder, ['run', '-p', 'work', '--worktree', 'blue', '--no-tui']);
      await until('the agent to hang', () => existsSync(join(folder, 'hangs')));
      run.child.kill('SIGKILL');
      await run.done;
      const [killed = ''] = readdirSync(join(folder, '.ralph/runs'));
      const next = await ralph(folder, ['run', '-p', 'work', '--worktree', 'red', '--no-tui']);
      const why = 'could not be committed: no checkpoint during a merge';
      expect(next.stderr).toContain(`Run ${killed} was killed, and what it left in its worktree blue ${why}`);
      for (const command of ['review', 'show', 'status'])
        expect((await ralph(folder, [command, killed])).stdout).toMatch(/not committed in its worktree: no checkpoint during a merge/);
      expect((await ralph(folder, ['land', killed, '--unfinished'])).stderr).toContain('no checkpoint during a merge');
      rmSync(join(folder, '.git/worktrees/blue/MERGE_HEAD'));
      const landed = await ralph(folder, ['land', killed, '--unfinished']);
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
      expect((await ralph(folder, ['review', killed])).stdout).not.toContain('not committed in its worktree');
    });
  });

  test('and `ralph clean` remove the worktree that a killed landing of another run left, and none of a person', async () => {
    const gate = 'gates: [{ name: slow, run: "test ! -e ../../../slow || { touch ../../../asked; sleep 30; }" }]\n';
    await withPlace(toFiles(gate, 'echo "$RALPH_RUN_ID" > made-$(nth made).txt; echo LOOP_COMPLETE'), async (folder) => {
      makeRepository(folder);
      const work = async (name: string): Promise<string> => {
        const before = existsSync(join(folder, '.ralph/runs')) ? readdirSync(join(folder, '.ralph/runs')) : [];
        const run = await ralph(folder, ['run', '-p', 'work', '--worktree', name, '-q']);
        expect(run.code, run.stdout + run.stderr).toBe(0);
        return readdirSync(join(folder, '.ralph/runs')).find((id) => !before.includes(id)) ?? '';
      };
      const [blue, red] = [await work('blue'), await work('red')];
      const killLanding = async (): Promise<void> => {
        writeFileSync(join(folder, 'slow'), '');
        const landing = start(folder, ['land', blue]);
        await until('the gate to be asked', () => existsSync(join(folder, 'asked')));
        landing.child.kill('SIGKILL');
        await landing.done;
        for (const name of ['slow', 'asked']) rmSync(join(folder, name));
        expect(listPlaces(folder)).toContain(`land-${blue}`);
      };
      git(folder, 'worktree', 'add', '-q', '--detach', join(folder, '.ralph/worktrees/land-mine'));
      await killLanding();
      expect((await ralph(folder, ['clean', '--dry-run'])).code).toBe(0);
      expect(listPlaces(folder)).toHaveLength(2);
      expect((await ralph(folder, ['clean'])).code).toBe(0);
      expect(listPlaces(folder)).toEqual(['land-mine']);
      await killLanding();
      const landed = await ralph(folder, ['land', red, '--onto', 'main']);
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
      expect([listPlaces(folder), findProcesses(folder)]).toEqual([['land-mine'], []]);
    });
  });
});
