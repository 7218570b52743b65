import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlainFolder, createTestFolder, createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { createWorktree } from './create-worktree.ts';

afterAll(removeTestFolders);

/** What an agent in the sandbox can write of git: the folder of its worktree, and the branches of runs. */
interface Reach {
  readonly own: string;
  readonly common: string;
  /** A folder that is none of its business. */
  readonly outside: string;
  readonly repo: TestFolder;
}

interface Outcome extends Reach {
  readonly commit: string | null;
  readonly note: string;
  readonly before: string;
  readonly after: string;
}

const others = (repo: TestFolder): string =>
  repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/main', 'refs/heads/release');

/** Lets an agent work in a worktree and then write into git's folder; then Ralph commits. */
async function attack(how: 'checkpoint' | 'end', write: (reach: Reach) => void, checkpointBranch: string | null = null): Promise<Outcome> {
  const repo = createTestRepository();
  repo.git('branch', 'release');
  const place = await createWorktree({ ...repo.settings, stateDir: '.ralph', name: 'fix', links: [], reuse: false });
  const tree = createPlainFolder({ path: place.path });
  const workspace = tree.workspace(await tree.capture(), { ownBranch: place.branch, checkpointBranch });
  await workspace.snapshot('1.1', 'before');
  tree.write('work.txt', 'an agent\n');
  const reach = { repo, common: join(repo.path, '.git'), own: join(repo.path, '.git/worktrees/fix'), outside: createTestFolder('outside') };
  const before = others(repo);
  write(reach);
  const made = how === 'end' ? await workspace.commitRest(place, 'ralph: the work') : await workspace.checkpoint(1);
  return { ...reach, ...made, before, after: others(repo) };
}

const led = 'ref: refs/heads/release\n';
const ownRef = 'refs/heads/ralph/fix';

/** Puts a link in the place of what is there, which then lies behind it. */
function linkAway(path: string, outside: string): void {
  renameSync(path, join(outside, 'moved'));
  symlinkSync(join(outside, 'moved'), path);
}

describe.each(['checkpoint', 'end'] as const)('an agent that rewrites what it can of git, before the %s', (how) => {
  it('moves no other branch by the HEAD of its worktree', async () => {
    const { before, after } = await attack(how, ({ own }) => writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/main\n'));
    expect(after).toBe(before);
  });

  it('moves no other branch by its own branch, where that is only another name for it', async () => {
    const { commit, note, before, after } = await attack(how, ({ common }) => writeFileSync(join(common, ownRef), led));
    expect([commit, after]).toEqual([null, before]);
    expect(note).toBe('ralph/fix is only another name for another branch');
  });

  it('moves no other branch by a HEAD that leads over a branch of its own', async () => {
    const { before, after } = await attack(how, ({ common, own }) => {
      writeFileSync(join(common, 'refs/heads/ralph/way'), led);
      writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/ralph/way\n');
    });
    expect(after).toBe(before);
  });

  it.each([
    ['the log of HEAD', ({ own }: Reach) => join(own, 'logs/HEAD')],
    ['the folder of that log', ({ own }: Reach) => join(own, 'logs')],
    ['the log of its branch', ({ common }: Reach) => join(common, 'logs', ownRef)],
    ['its branch', ({ common }: Reach) => join(common, ownRef)],
    ['HEAD', ({ own }: Reach) => join(own, 'HEAD')],
    ['the index', ({ own }: Reach) => join(own, 'index')],
  ])('has nothing written through a link in the place of %s', async (_, toPath) => {
    let there = '';
    const { commit, note, before, after, outside } = await attack(how, (reach) => {
      linkAway(toPath(reach), reach.outside);
      there = readAll(reach.outside);
    });
    expect([commit, after, readAll(outside)]).toEqual([null, before, there]);
    expect(note).toMatch(/a link or no plain file|not a git repository/);
  });

  it('keeps nobody waiting with a pipe in the place of a log', async () => {
    const { commit, note } = await attack(how, ({ own }) => {
      rmSync(join(own, 'logs/HEAD'));
      execFileSync('mkfifo', [join(own, 'logs/HEAD')]);
    });
    expect(commit).toBeNull();
    expect(note).toContain('a link or no plain file');
  });
});

it('a branch for checkpoints that is only another name moves nothing', async () => {
  const write = ({ common }: Reach): void => writeFileSync(join(common, 'refs/heads/ralph/kept'), led);
  const { commit, note, before, after } = await attack('checkpoint', write, 'ralph/kept');
  expect([commit, after]).toEqual([null, before]);
  expect(note).toBe('ralph/kept is only another name for another branch');
});

it('a checkpoint goes to no other branch on which an agent left its worktree', async () => {
  const { repo, commit, note } = await attack('checkpoint', ({ own }) => writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/main\n'));
  expect([commit, note]).toEqual([null, 'the worktree is on main and not on ralph/fix']);
  expect(repo.git('log', '--format=%s', '--all')).not.toContain('checkpoint');
});

it('the end of a run commits on its own branch what an agent left on another, and comes back to it', async () => {
  const { repo, own, commit } = await attack('end', (reach) => writeFileSync(join(reach.own, 'HEAD'), 'ref: refs/heads/main\n'));
  expect(repo.git('rev-parse', 'ralph/fix')).toBe(`${commit}\n`);
  expect(readFileSync(join(own, 'HEAD'), 'utf8')).toBe(`ref: ${ownRef}\n`);
});

it('a worktree without logs gets none', async () => {
  const { own, common, commit } = await attack('end', (reach) => {
    rmSync(join(reach.own, 'logs'), { recursive: true });
    rmSync(join(reach.common, 'logs'), { recursive: true });
  });
  expect(commit).not.toBeNull();
  expect([existsSync(join(own, 'logs')), existsSync(join(common, 'logs'))]).toEqual([false, false]);
});

/** All that lies in a folder, as one text. */
function readAll(folder: string): string {
  return execFileSync('find', ['.', '-type', 'f', '-exec', 'cksum', '{}', '+'], { cwd: folder, encoding: 'utf8' });
}
