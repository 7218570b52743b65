import { afterAll, describe, expect, it } from 'vitest';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { proposeUndo } from '../undo/undo-work.ts';
import { openLanding } from './landing.ts';

afterAll(removeTestFolders);

/** What git takes for a mistake, or obeys, as soon as it compares a submodule that moved. */
const HOSTILE = ['update = !command', 'fetchRecurseSubmodules = perhaps', 'path', 'ignore = all'].map((line) => [line] as const);

const MODULES = '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n';

/** A repository with a submodule that is nowhere checked out. */
function create(): TestFolder {
  const folder = createTestRepository({ 'a.txt': 'a\n', '.gitmodules': MODULES });
  move(folder, '1');
  folder.git('commit', '--quiet', '--message', 'with a submodule');
  return folder;
}

function move(folder: TestFolder, digit: string): void {
  folder.git('update-index', '--add', '--cacheinfo', `160000,${digit.repeat(40)},sub`);
}

function work(folder: TestFolder, line: string): void {
  folder.write('a.txt', 'b\n');
  folder.write('.gitmodules', `${folder.read('.gitmodules')}\t${line}\n`);
  folder.git('add', 'a.txt', '.gitmodules');
  move(folder, '2');
  folder.git('commit', '--quiet', '--message', 'work');
}

describe('a `.gitmodules` in which a run wrote something that git does not take', () => {
  it.each(HOSTILE)('%s: lands', async (line) => {
    const folder = create();
    const from = folder.git('rev-parse', 'main').trim();
    folder.git('checkout', '--quiet', '-b', 'ralph/blue');
    work(folder, line);
    folder.git('checkout', '--quiet', 'main');
    const to = folder.git('rev-parse', 'ralph/blue').trim();
    const landing = await openLanding({
      ...folder.settings,
      stateDir: '.ralph',
      runId: 'run-1',
      branch: 'ralph/blue',
      onto: null,
      links: [],
    });
    const merged = await landing.mergeIn({ subject: 'x', isSquashed: false }, async (merge) => merge);
    expect(merged).toMatchObject({ isMerged: true, commit: to });
    const branch = { branch: 'main', from, to };
    expect(await landing.listOverwritten(branch)).toEqual([]);
    await landing.move(branch);
    expect([folder.git('rev-parse', 'main').trim(), folder.read('a.txt')]).toEqual([to, 'b\n']);
  });

  it.each(HOSTILE)('%s: is seen in what the run changed, with the submodule that moved, and undone', async (line) => {
    const folder = create();
    const workspace = folder.workspace(null);
    await workspace.snapshot('1.1', 'before');
    work(folder, line);
    await workspace.snapshot('1.1', 'after');
    expect((await workspace.statRun(['1.1']))?.files.map(({ path }) => path)).toEqual(['.gitmodules', 'a.txt', 'sub']);
    expect(await workspace.diffRun(['1.1'])).toContain(`+Subproject commit ${'2'.repeat(40)}`);
    const proposal = await proposeUndo({
      ...folder.settings,
      runId: 'run-1',
      runFolder: `${folder.env['HOME']}/run-1`,
      turns: ['1.1'],
      baseline: null,
      record: null,
      toTurn: null,
      baseCommit: null,
      endCommit: null,
    });
    expect(proposal.files.map(({ path }) => path)).toEqual(['.gitmodules', 'a.txt']);
    await proposal.perform(() => undefined, 1000);
    expect([folder.read('a.txt'), folder.read('.gitmodules')]).toEqual(['a\n', MODULES]);
  });
});
