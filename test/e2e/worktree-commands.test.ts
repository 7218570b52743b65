import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { until } from './run-facts.ts';

const CONFIG = 'event_loop: { checkpoint_interval: 1 }\n';
const BODY = 'echo made > made.txt; echo changed > tracked.txt; echo LOOP_COMPLETE';

interface ListedWorktree {
  readonly name: string;
  readonly branch: string;
  readonly commits: number;
  readonly uncommitted: number;
  readonly runId: string | null;
  readonly status: string | null;
}

async function list(folder: string): Promise<readonly ListedWorktree[]> {
  return readJsonLines((await ralph(folder, ['worktrees', '--format', 'json'])).stdout);
}

/** A repository in which a run has worked in the worktree `blue`. */
async function withWorktree(use: (folder: string) => Promise<void>): Promise<void> {
  await withPlace(toFiles(CONFIG, BODY, { 'tracked.txt': 'old\n' }), async (folder) => {
    makeRepository(folder);
    const run = await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue']);
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(run.stdout).toContain('in 1 commit. Merge it: ralph land\n');
    await use(folder);
  });
}

describe.concurrent('the worktrees of runs', () => {
  test('are listed with their branch, run and what is in them', async () => {
    await withWorktree(async (folder) => {
      writeFileSync(join(folder, '.ralph/worktrees/blue/later.txt'), 'x');
      const [worktree] = await list(folder);
      expect(worktree).toMatchObject({ name: 'blue', branch: 'ralph/blue', commits: 1, uncommitted: 1, status: 'completed' });
      const { stdout } = await ralph(folder, ['worktrees']);
      expect(stdout).toMatch(/blue\s+completed\s+1 commit, 1 file not committed/);
      expect((await ralph(folder, ['runs'])).stdout).toContain('blue');
    });
  });

  test('are shown as one patch: commits, what is not committed, and new files', async () => {
    await withWorktree(async (folder) => {
      writeFileSync(join(folder, '.ralph/worktrees/blue/later.txt'), 'not committed\n');
      const { code, stdout } = await ralph(folder, ['worktrees', 'diff', 'blue']);
      expect(code).toBe(0);
      for (const text of ['+made', '-old', '+changed', '+not committed']) expect(stdout).toContain(text);
      expect(stdout).not.toContain('.agent');
      expect(git(join(folder, '.ralph/worktrees/blue'), 'status', '--porcelain')).toBe('?? later.txt');
    });
  });

  test('are listed, compared and merged without the programs that an agent gave to git', async () => {
    const plant = [
      'git config filter.planted.clean "touch $PWD/../../../filtered; cat"',
      'git config filter.planted.smudge "touch $PWD/../../../filtered; cat"',
      'git config merge.planted.driver "touch $PWD/../../../driven; true"',
      'echo "* filter=planted merge=planted" > .gitattributes',
    ].join('\n');
    await withPlace(toFiles(CONFIG, `${plant}\n${BODY}`, { 'tracked.txt': 'old\n' }), async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue'])).code).toBe(0);
      writeFileSync(join(folder, 'tracked.txt'), 'mine\n');
      writeFileSync(join(folder, '.gitattributes'), '* filter=planted merge=planted\n');
      git(folder, '-c', 'filter.planted.clean=', 'add', 'tracked.txt', '.gitattributes');
      git(folder, '-c', 'filter.planted.clean=', 'commit', '-qm', 'mine');
      rmSync(join(folder, 'filtered'), { force: true });
      await ralph(folder, ['worktrees']);
      await ralph(folder, ['worktrees', 'diff', 'blue']);
      const merged = await ralph(folder, ['worktrees', 'merge', 'blue']);
      expect([existsSync(join(folder, 'filtered')), existsSync(join(folder, 'driven'))]).toEqual([false, false]);
      expect([merged.code, merged.stderr]).toEqual([1, expect.stringContaining('tracked.txt')]);
    });
  });

  test('are compared, merged and removed without hooks, monitors and programs for signatures that an agent planted, and that is told', async () => {
    const plant = `
root="$PWD/../../.."
printf '#!/bin/sh\\ntouch "%s/ran-$(basename "$0")"\\ncat >/dev/null\\necho "-----BEGIN PGP SIGNATURE-----"\\necho "[GNUPG:] SIG_CREATED x" >&2\\n' "$root" > "$root/.git/evil"
chmod +x "$root/.git/evil"
mkdir -p "$root/.git/hooks"
for hook in pre-merge-commit post-merge post-checkout post-index-change reference-transaction commit-msg prepare-commit-msg; do cp "$root/.git/evil" "$root/.git/hooks/$hook"; done
echo signed > signed.txt; git add signed.txt
git -c core.hooksPath=/dev/null -c gpg.program="$root/.git/evil" commit -qS -m signed
git config core.hooksPath "$root/.git/hooks"
git config core.fsmonitor "$root/.git/evil"
git config gpg.program "$root/.git/evil"
git config merge.verifySignatures true
git config log.showSignature true
git config diff.external "$root/.git/evil"
rm -f "$root"/ran-*`;
    await withPlace(toFiles(CONFIG, `${plant}\n${BODY}`, { 'tracked.txt': 'old\n' }), async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue'])).code).toBe(0);
      expect(
        git(folder, '-c', 'core.fsmonitor=false', '-c', 'log.showSignature=false', 'log', '--format=%B', '-3', 'ralph/blue'),
      ).toContain('signed');
      const ran = () => readdirSync(folder).filter((name) => name.startsWith('ran-'));
      for (const name of ran()) rmSync(join(folder, name));
      const told = expect.stringContaining('gpg.program');
      expect(await ralph(folder, ['worktrees', 'diff', 'blue'])).toMatchObject({
        code: 0,
        stderr: told,
        stdout: expect.stringContaining('+made'),
      });
      expect(await ralph(folder, ['worktrees', 'merge', 'blue'])).toMatchObject({ code: 0, stderr: told });
      expect(readFileSync(join(folder, 'signed.txt'), 'utf8')).toBe('signed\n');
      expect(await ralph(folder, ['worktrees', 'remove', 'blue'])).toMatchObject({ code: 0, stderr: told });
      expect(ran()).toEqual([]);
    });
  });

  test('go through the filters that the user had when the run began, and nothing is told of those', async () => {
    await withPlace(toFiles(CONFIG, BODY, { 'tracked.txt': 'old\n', '.gitattributes': '*.txt filter=mine\n' }), async (folder) => {
      makeRepository(folder);
      git(folder, 'config', 'filter.mine.clean', 'tr a-z A-Z');
      git(folder, 'config', 'filter.mine.smudge', 'tr A-Z a-z');
      git(folder, 'config', 'filter.mine.required', 'true');
      git(folder, 'add', '--renormalize', '.');
      git(folder, 'commit', '-qm', 'filtered');
      expect((await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue'])).code).toBe(0);
      const diff = await ralph(folder, ['worktrees', 'diff', 'blue']);
      expect([diff.stdout, diff.stderr]).toEqual([expect.stringContaining('+MADE'), '']);
      expect(await ralph(folder, ['worktrees', 'merge', 'blue'])).toMatchObject({ code: 0, stderr: '' });
      expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made\n');
    });
  });

  test('are merged into the branch that is checked out, and removed with their branch', async () => {
    await withWorktree(async (folder) => {
      const merged = await ralph(folder, ['worktrees', 'merge', 'blue']);
      expect(merged.code, merged.stderr).toBe(0);
      expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made\n');
      const removed = await ralph(folder, ['worktrees', 'remove', 'blue']);
      expect(removed.code, removed.stderr).toBe(0);
      expect(existsSync(join(folder, '.ralph/worktrees/blue'))).toBe(false);
      expect(git(folder, 'branch', '--list', 'ralph/*')).toBe('');
      expect(await list(folder)).toEqual([]);
    });
  });

  test('are not merged where something would be lost: uncommitted work, a conflict', async () => {
    await withWorktree(async (folder) => {
      const later = join(folder, '.ralph/worktrees/blue/later.txt');
      writeFileSync(later, 'x');
      const dirty = await ralph(folder, ['worktrees', 'merge', 'blue']);
      expect(dirty.code).toBe(1);
      expect(dirty.stderr).toContain('later.txt');
      git(join(folder, '.ralph/worktrees/blue'), 'add', '.');
      git(join(folder, '.ralph/worktrees/blue'), 'commit', '-qm', 'later');
      writeFileSync(join(folder, 'tracked.txt'), 'mine\n');
      git(folder, 'commit', '-qam', 'mine');
      const conflict = await ralph(folder, ['worktrees', 'merge', 'blue']);
      expect(conflict.code).toBe(1);
      expect(conflict.stderr).toContain('tracked.txt');
      expect(git(folder, 'status', '--porcelain', '--untracked-files=no')).toBe('');
      expect(readFileSync(join(folder, 'tracked.txt'), 'utf8')).toBe('mine\n');
    });
  });

  test('are removed with commits or changes of their own by force alone', async () => {
    await withWorktree(async (folder) => {
      writeFileSync(join(folder, '.ralph/worktrees/blue/later.txt'), 'x');
      const refused = await ralph(folder, ['worktrees', 'remove', 'blue']);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('--force');
      expect(existsSync(join(folder, '.ralph/worktrees/blue/later.txt'))).toBe(true);
      const forced = await ralph(folder, ['worktrees', 'remove', 'blue', '--force']);
      expect(forced.code, forced.stderr).toBe(0);
      expect(git(folder, 'branch', '--list', 'ralph/*')).toBe('');
    });
  });

  test('are listed with what git ignores in them, which is removed by force alone, and stays in a clean-up', async () => {
    await withWorktree(async (folder) => {
      git(folder, 'merge', '-q', 'ralph/blue');
      const tree = join(folder, '.ralph/worktrees/blue');
      writeFileSync(join(folder, '.git/info/exclude'), '.env\n*.db\nnode_modules/\n.ralph\n.agent\n');
      mkdirSync(join(tree, 'node_modules/pkg'), { recursive: true });
      writeFileSync(join(tree, 'node_modules/pkg/index.js'), 'x');
      expect((await ralph(folder, ['worktrees'])).stdout).toContain('only what a tool makes again: node_modules/');
      writeFileSync(join(tree, '.env'), 'KEY=1');
      writeFileSync(join(tree, 'a\nb.db'), 'x');
      expect(await list(folder)).toMatchObject([{ commits: 0, uncommitted: 0, ignored: 2, renewable: 1 }]);
      expect((await ralph(folder, ['worktrees'])).stdout).toContain('2 ignored by git: .env, a\uFFFDb.db\n');
      const refused = await ralph(folder, ['worktrees', 'remove', 'blue']);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('.env')]);
      expect((await ralph(folder, ['clean', '--keep', '0'])).stderr).toContain('.env');
      expect(readFileSync(join(tree, '.env'), 'utf8')).toBe('KEY=1');
      const forced = await ralph(folder, ['worktrees', 'remove', 'blue', '--force']);
      expect([forced.code, forced.stdout]).toEqual([0, expect.stringContaining('node_modules/')]);
      expect(existsSync(tree)).toBe(false);
    });
  });

  test('stay where they are while a run works in them, and a wrong name is told', async () => {
    await withPlace(toFiles('', 'touch here; until [ -f go ]; do sleep 0.05; done; echo LOOP_COMPLETE'), async (folder) => {
      makeRepository(folder);
      const run = start(folder, ['run', '-p', 'work', '--worktree', 'blue']);
      const tree = join(folder, '.ralph/worktrees/blue');
      await until('the agent to be at work', () => existsSync(join(tree, 'here')));
      for (const words of [
        ['merge', 'blue'],
        ['remove', 'blue', '--force'],
      ]) {
        const { code, stderr } = await ralph(folder, ['worktrees', ...words]);
        expect(code).toBe(1);
        expect(stderr).toContain('under way');
      }
      const wrong = await ralph(folder, ['worktrees', 'diff', 'bleu']);
      expect(wrong.code).toBe(2);
      expect(wrong.stderr).toContain('blue');
      writeFileSync(join(tree, 'go'), '');
      expect((await run.done).code).toBe(0);
    });
  });

  test('stay in a clean-up when something in them is not committed, and the command that shows it is named', async () => {
    await withWorktree(async (folder) => {
      writeFileSync(join(folder, '.ralph/worktrees/blue/later.txt'), 'x');
      const cleaned = await ralph(folder, ['clean', '--keep', '0']);
      expect(cleaned.code).toBe(0);
      expect(cleaned.stderr).toContain('ralph worktrees diff blue');
      expect((await list(folder)).map(({ name, runId }) => [name, runId])).toEqual([['blue', null]]);
    });
  });

  test('go in a clean-up, but a branch with commits of its own stays and is named', async () => {
    await withWorktree(async (folder) => {
      const cleaned = await ralph(folder, ['clean', '--keep', '0']);
      expect(cleaned.stderr).toContain('git merge ralph/blue');
      expect(existsSync(join(folder, '.ralph/worktrees/blue'))).toBe(false);
      expect(git(folder, 'branch', '--list', 'ralph/*').trim()).toBe('ralph/blue');
    });
  });
});

describe.concurrent('a run beside another one', () => {
  test('does not hide the one that is under way when it has ended', async () => {
    const body = 'case "$PWD" in */blue) ;; *) touch here; until [ -f go ]; do sleep 0.05; done ;; esac; echo LOOP_COMPLETE';
    await withPlace(toFiles('', body), async (folder) => {
      makeRepository(folder);
      const main = start(folder, ['run', '-p', 'the main work']);
      await until('the agent to be at work', () => existsSync(join(folder, 'here')));
      expect((await ralph(folder, ['run', '-p', 'beside', '--worktree', 'blue'])).code).toBe(0);
      expect((await ralph(folder, ['status'])).stdout).toContain('the main work');
      writeFileSync(join(folder, 'go'), '');
      expect((await main.done).code).toBe(0);
    });
  });
});
