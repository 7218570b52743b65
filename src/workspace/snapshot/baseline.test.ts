import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { type Json, parseJson } from '../../core/values/json.ts';
import { createPlainFolder, createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { createWorktree, type Worktree } from '../worktree/create-worktree.ts';
import { removeWorktree } from '../worktree/remove-worktree.ts';
import { listUncommitted } from './baseline.ts';
import { parseBaseline } from './baseline-record.ts';

afterAll(removeTestFolders);

const COMMITTED = { 'changed.txt': 'old\n', 'gone.txt': 'old\n', 'tool.sh': 'echo\n', 'other.txt': 'old\n' };
const CARRIED = ['changed.txt', 'gone.txt', 'link', 'new.txt', 'tool.sh'];

/** A worktree into which every kind of change came along, and what the user's own in it is. */
async function carryAlong() {
  const repo = createTestRepository(COMMITTED);
  repo.write('changed.txt', 'mine\n');
  repo.write('new.txt', 'mine\n');
  repo.remove('gone.txt');
  repo.link('link', 'nowhere');
  repo.makeExecutable('tool.sh');
  const made = await createWorktree({ ...repo.settings, stateDir: '.ralph', name: 'blue', links: [], reuse: false });
  const inside = createPlainFolder({ path: made.path });
  const baseline = await inside.capture();
  return { repo, made, inside, baseline, left: () => listUncommitted(inside.settings, baseline) };
}

describe('of what came along into a worktree', () => {
  it('nothing is left to be committed while it is as it came: changed, new, gone, a link, a mode, staged or not', async () => {
    const { inside, left } = await carryAlong();
    expect(await listUncommitted(inside.settings)).toEqual(CARRIED);
    expect(await left()).toEqual([]);
    inside.git('add', '--all');
    expect(await left()).toEqual([]);
  });

  it('what is another now is left: other bytes, another mode, there again, another kind', async () => {
    const { inside, left } = await carryAlong();
    inside.write('changed.txt', 'mine!\n');
    inside.write('gone.txt', 'new\n');
    inside.makeExecutable('new.txt');
    inside.remove('link');
    inside.write('link', 'nowhere');
    inside.write('other.txt', 'work\n');
    expect(await left()).toEqual(['changed.txt', 'gone.txt', 'link', 'new.txt', 'other.txt']);
  });

  it('all of it is left where nobody knows what it was', async () => {
    const { inside } = await carryAlong();
    expect(await listUncommitted(inside.settings, null)).toEqual(CARRIED);
  });
});

describe('a worktree with copies of what is the user’s own', () => {
  const remove = (repo: TestFolder, baseline: Awaited<ReturnType<TestFolder['capture']>> | null) =>
    removeWorktree({ ...repo.settings, stateDir: '.ralph', name: 'blue', links: [], baseline, force: false });
  const isThere = ({ path }: Worktree) => existsSync(path);

  it('is removed without a word, also where the user has gone on, and the user’s files stay', async () => {
    const { repo, made, baseline } = await carryAlong();
    repo.write('new.txt', 'more of mine\n');
    expect(await remove(repo, baseline)).toMatchObject({ isRemoved: true });
    expect([isThere(made), repo.read('new.txt'), repo.read('changed.txt')]).toEqual([false, 'more of mine\n', 'mine\n']);
  });

  it('is kept where one of them is the last, or was changed, and where nobody knows what they were', async () => {
    const { repo, made, inside, baseline } = await carryAlong();
    await expect(remove(repo, null)).rejects.toMatchObject({ code: 'worktree-dirty' });
    repo.remove('new.txt');
    await expect(remove(repo, baseline)).rejects.toMatchObject({ code: 'worktree-dirty', message: expect.stringMatching(/: new\.txt\.$/) });
    repo.write('new.txt', 'mine\n');
    inside.write('changed.txt', 'work\n');
    await expect(remove(repo, baseline)).rejects.toMatchObject({ message: expect.stringMatching(/: changed\.txt\.$/) });
    expect(isThere(made)).toBe(true);
  });
});

describe('a baseline', () => {
  it('lists the user’s own files with what they were, and what was ignored', async () => {
    const repo = createTestRepository({ 'a.txt': 'a\n', '.gitignore': 'node_modules/\n*.log\n' });
    repo.write('a.txt', 'changed\n');
    repo.write('new.txt', 'new\n');
    repo.write('node_modules/x/y', 'x');
    repo.write('debug.log', 'x');
    repo.write('.ralph/state', 'x');
    const blob = (name: string): string => repo.git('hash-object', name).trim();
    expect(await repo.capture()).toEqual({
      version: 1,
      noRepository: '',
      dirty: [
        { path: 'a.txt', content: `100644 ${blob('a.txt')}`, isStagedApart: false },
        { path: 'new.txt', content: `100644 ${blob('new.txt')}`, isStagedApart: false },
      ],
      ignored: ['debug.log', 'node_modules/'],
    });
  });

  it('knows a large file by its size and time, and notices later that it changed', async () => {
    const repo = createTestRepository({ 'large.bin': 'small\n', 'grown.bin': 'small\n' });
    repo.write('large.bin', 'x'.repeat(17 << 20));
    repo.write('grown.bin', 'a bit more\n');
    const baseline = await repo.capture();
    expect(baseline.dirty.map((file) => file.content.split(' ')[0])).toEqual(['100644', 'time']);
    const workspace = repo.workspace(baseline);
    expect((await workspace.checkpoint(1)).leftOut).toEqual([]);
    repo.write('large.bin', 'small again\n');
    repo.write('grown.bin', 'x'.repeat(17 << 20));
    expect((await workspace.checkpoint(2)).leftOut).toEqual(['grown.bin', 'large.bin']);
  });

  it('comes back from JSON as it was', async () => {
    const repo = createTestRepository();
    repo.write('x.txt', 'x');
    repo.link('link', 'nowhere');
    const baseline = await repo.capture();
    expect(parseBaseline(parseJson(JSON.stringify(baseline)) ?? null)).toEqual(baseline);
  });

  it.each<Json>([
    null,
    [],
    { version: 2, noRepository: '', dirty: [], ignored: [] },
    { version: 1, noRepository: 3, dirty: [], ignored: [] },
    { version: 1, noRepository: '', dirty: [{ path: 1, content: '', isStagedApart: false }], ignored: [] },
    { version: 1, noRepository: '', dirty: {}, ignored: [] },
    { version: 1, noRepository: '', dirty: [], ignored: [1] },
  ])('is not read from something else (%j)', (value) => {
    expect(parseBaseline(value)).toBeUndefined();
  });
});
