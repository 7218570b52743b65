import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parseJson } from '../../core/values/json.ts';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { parseBaseline } from './baseline-record.ts';

afterAll(removeTestFolders);

const files = {
  'staged.txt': '1\n',
  'unstaged.txt': '1\n',
  'both.txt': '1\n',
  'gone.txt': '1\n',
  'staged-gone.txt': '1\n',
  'clean.txt': '1\n',
};

/** A user in the middle of work. */
function createBusyRepository(): TestFolder {
  const repo = createTestRepository(files);
  repo.write('stashed.txt', 'stashed\n');
  repo.git('stash', 'push', '--quiet', '--include-untracked');
  repo.write('staged.txt', 'staged\n');
  repo.write('both.txt', 'staged part\n');
  repo.write('new-staged.txt', 'new\n');
  repo.git('rm', '--quiet', 'staged-gone.txt');
  repo.git('add', 'staged.txt', 'both.txt', 'new-staged.txt');
  repo.write('both.txt', 'staged part\nand more\n');
  repo.write('unstaged.txt', 'unstaged\n');
  repo.remove('gone.txt');
  repo.write('untracked.txt', 'mine\n');
  repo.write('notes/untracked.md', 'mine\n');
  return repo;
}

/** Everything of the user's that must not change, byte for byte. */
function observe(repo: TestFolder): unknown {
  const kept = ['staged.txt', 'unstaged.txt', 'both.txt', 'new-staged.txt', 'untracked.txt', 'notes/untracked.md'];
  return {
    contents: kept.map((name) => repo.read(name)),
    status: repo.status(),
    staged: repo.git('diff', '--cached', '--no-renames'),
    unstaged: repo.git('diff', '--no-renames'),
    stash: repo.git('stash', 'list', '--format=%H'),
  };
}

describe('what the user had not committed before the run', () => {
  it('is the same after a checkpoint: contents, staged parts, status, stash', async () => {
    const repo = createBusyRepository();
    const before = observe(repo);
    const workspace = repo.workspace(await repo.capture());
    repo.write('clean.txt', 'changed by the agent\n');
    repo.write('agent.txt', 'new\n');
    repo.write('notes/agent.md', 'new\n');
    const { commit, leftOut, note } = await workspace.checkpoint(1);
    expect({ leftOut, note }).toEqual({ leftOut: [], note: '' });
    expect(repo.changes(commit ?? '')).toEqual(['A agent.txt', 'M clean.txt', 'A notes/agent.md']);
    expect(observe(repo)).toEqual(before);
  });

  it('is the same after a checkpoint in a repository without commits', async () => {
    const repo = createTestRepository();
    repo.git('update-ref', '-d', 'HEAD');
    repo.write('untracked.txt', 'mine\n');
    const before = repo.status();
    const workspace = repo.workspace(await repo.capture());
    repo.write('agent.txt', 'new\n');
    const { commit } = await workspace.checkpoint(1);
    expect(repo.git('log', '--format=%H %s').trim()).toBe(`${commit} ralph: checkpoint after iteration 1`);
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('agent.txt\n');
    expect(before).toEqual(['A  kept.txt', '?? untracked.txt']);
    expect(repo.status()).toEqual(before);
  });

  it('is left out and named when an agent changed it since', async () => {
    const repo = createBusyRepository();
    const workspace = repo.workspace(await repo.capture());
    repo.write('unstaged.txt', 'changed by the agent\n');
    repo.write('gone.txt', 'made again by the agent\n');
    repo.remove('untracked.txt');
    repo.write('agent.txt', 'new\n');
    const { commit, leftOut } = await workspace.checkpoint(1);
    expect(repo.changes(commit ?? '')).toEqual(['A agent.txt']);
    // A deleted untracked file leaves nothing to be left out.
    expect([...leftOut].sort()).toEqual(['gone.txt', 'unstaged.txt']);
    expect(await workspace.checkpoint(2)).toMatchObject({ commit: null, note: 'nothing new to commit' });
  });

  it('is still known when the run is resumed in another process', async () => {
    const repo = createBusyRepository();
    const stored = JSON.stringify(await repo.capture());
    repo.write('agent.txt', 'before the interruption\n');
    const resumed = repo.workspace(parseBaseline(parseJson(stored) ?? null) ?? null);
    const { commit } = await resumed.checkpoint(3);
    expect(repo.changes(commit ?? '')).toEqual(['A agent.txt']);
    expect(repo.status()).toContain('?? untracked.txt');
  });

  it('belongs to the run once somebody has committed it as it was', async () => {
    const repo = createBusyRepository();
    const workspace = repo.workspace(await repo.capture());
    repo.git('commit', '--quiet', '--only', '--message', 'user’s own', 'unstaged.txt', 'both.txt');
    repo.write('unstaged.txt', 'later work\n');
    repo.write('both.txt', 'later work\n');
    const { commit, leftOut } = await workspace.checkpoint(1);
    expect(repo.changes(commit ?? '')).toEqual(['M unstaged.txt']);
    // The staged part of this one was a version of its own: it is not touched although the other part is committed.
    expect(leftOut).toEqual(['both.txt']);
  });

  it('stays staged when an agent touches only the working tree of a file that was staged and reverted', async () => {
    const repo = createTestRepository({ 'a.txt': '1\n' });
    repo.write('a.txt', 'staged\n');
    repo.git('add', 'a.txt');
    repo.write('a.txt', '1\n');
    const workspace = repo.workspace(await repo.capture());
    repo.write('a.txt', 'agent\n');
    expect(await workspace.checkpoint(1)).toMatchObject({ commit: null, leftOut: ['a.txt'] });
    expect(repo.git('show', ':a.txt')).toBe('staged\n');
  });

  it('is not pushed out of the way by a file of an agent: that is left out, too', async () => {
    const repo = createTestRepository({ 'folder/x': '1', file: '1', 'other.txt': '1' });
    repo.remove('folder');
    repo.write('file', 'user');
    const workspace = repo.workspace(await repo.capture());
    repo.write('folder', 'now a file');
    repo.remove('file');
    repo.write('file/x', 'now a folder');
    repo.write('other.txt', '2');
    const { commit, leftOut } = await workspace.checkpoint(1);
    expect(repo.changes(commit ?? '')).toEqual(['M other.txt']);
    expect([...leftOut].sort()).toEqual(['file', 'file/x', 'folder']);
    expect(repo.git('ls-files')).toBe('file\nfolder/x\nother.txt\n');
  });

  it('includes what was ignored, even if an agent changes the ignore rules', async () => {
    const repo = createTestRepository({ '.gitignore': '.env\ncache/\n' });
    repo.write('.env', 'SECRET=1\n');
    repo.write('cache/a', 'a');
    repo.write('cache/b', 'b');
    const workspace = repo.workspace(await repo.capture());
    repo.write('.gitignore', '# nothing\n');
    repo.write('cache/c', 'c');
    const { commit, leftOut } = await workspace.checkpoint(1);
    expect(repo.changes(commit ?? '')).toEqual(['M .gitignore']);
    expect(leftOut).toEqual(['.env', 'cache/']);
  });

  it('may be so much that only its beginning is named', async () => {
    const repo = createTestRepository();
    const names = Array.from({ length: 250 }, (_, index) => `mine-${1000 + index}.txt`);
    for (const name of names) repo.write(name, 'mine');
    const workspace = repo.workspace(await repo.capture());
    for (const name of names) repo.write(name, 'changed');
    const { leftOut } = await workspace.checkpoint(1);
    expect(leftOut).toHaveLength(201);
    expect(leftOut.at(-1)).toBe('… and 50 more');
  });

  it('is protected whatever user and agent do, and everything else is committed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(userStep, { maxLength: 6 }), fc.array(agentStep, { maxLength: 8 }), async (userSteps, agentSteps) => {
        const repo = createTestRepository({ a: 'a\n', b: 'b\n', c: 'c\n', 'd/e': 'e\n' });
        for (const step of userSteps) perform(repo, step);
        const own = new Set(repo.status().map(toPath));
        const index = readIndex(repo, own);
        const workspace = repo.workspace(await repo.capture());
        for (const step of agentSteps) perform(repo, step);
        const tree = readContents(repo);
        const result = await workspace.checkpoint(1);
        expect(['', 'nothing new to commit']).toContain(result.note);
        expect(readContents(repo)).toEqual(tree);
        expect(readIndex(repo, own)).toEqual(index);
        expect(
          repo
            .status()
            .map(toPath)
            .filter((path) => !own.has(path)),
        ).toEqual([]);
        const committed = result.commit === null ? [] : repo.changes(result.commit).map((line) => line.slice(2));
        expect(committed.filter((path) => own.has(path))).toEqual([]);
      }),
      { numRuns: 12 },
    );
  }, 20_000);
});

const names = ['a', 'b', 'c', 'd/e', 'd/new', 'new'];

interface Step {
  readonly act: 'write' | 'remove' | 'stage';
  readonly name: string;
  readonly text: string;
}

const text = fc.constantFrom('x\n', 'y\n', 'z\r\n');
const userStep: fc.Arbitrary<Step> = fc.record({ act: fc.constantFrom('write', 'remove', 'stage'), name: fc.constantFrom(...names), text });
/** An agent that stages the user's files changes their staged state itself; that is not what is looked at here. */
const agentStep: fc.Arbitrary<Step> = fc.record({ act: fc.constantFrom('write', 'remove'), name: fc.constantFrom(...names), text });

function perform(repo: TestFolder, step: Step): void {
  if (step.act === 'write') repo.write(step.name, step.text);
  else if (readOrNothing(repo, step.name) === undefined) return;
  else if (step.act === 'remove') repo.remove(step.name);
  else repo.git('add', step.name);
}

function readOrNothing(repo: TestFolder, name: string): string | undefined {
  try {
    return repo.read(name);
  } catch {
    return undefined;
  }
}

function readContents(repo: TestFolder): (string | undefined)[] {
  return names.map((name) => readOrNothing(repo, name));
}

function readIndex(repo: TestFolder, paths: ReadonlySet<string>): string {
  return paths.size === 0 ? '' : repo.git('ls-files', '--stage', '--', ...paths);
}

function toPath(statusLine: string): string {
  return statusLine.slice(3);
}
