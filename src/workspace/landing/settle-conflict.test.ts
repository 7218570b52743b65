import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { openLanding } from './landing.ts';
import type { OpenConflict, SettledConflict } from './settle-conflict.ts';

afterAll(removeTestFolders);

interface Sides {
  readonly base?: (folder: TestFolder) => void;
  readonly target: (folder: TestFolder) => void;
  readonly run: (folder: TestFolder) => void;
}

interface Worktree {
  readonly path: string;
  readonly write: (name: string, text: string | Uint8Array) => void;
  readonly git: (...args: readonly string[]) => string;
  readonly remove: (name: string) => void;
}

interface Outcome extends SettledConflict {
  readonly folder: TestFolder;
  readonly conflict: OpenConflict;
  /** A file of the stored merge. */
  readonly show: (path: string) => string;
}

/** Merges the branch of a run, lets somebody work on the conflict, and settles it. */
async function resolveIn(sides: Sides, work: (worktree: Worktree) => void, isSquashed = false): Promise<Outcome> {
  const folder = createTestRepository({ 'file.txt': 'old\n', 'other.txt': 'other\n', '.gitignore': '*.log\n' });
  const commit = (change: (folder: TestFolder) => void, message: string): void => {
    change(folder);
    folder.git('add', '--all');
    folder.git('commit', '--quiet', '--allow-empty', '--message', message);
  };
  commit(sides.base ?? (() => undefined), 'base');
  folder.git('checkout', '--quiet', '-b', 'ralph/blue');
  commit(sides.run, 'by the run');
  folder.git('checkout', '--quiet', 'main');
  commit(sides.target, 'by the person');
  const landing = await openLanding({
    ...folder.settings,
    stateDir: '.ralph',
    runId: 'run-1',
    branch: 'ralph/blue',
    onto: 'main',
    links: [],
  });
  const scratch = join(folder.path, '.ralph/scratch');
  return landing.mergeIn({ subject: 'Merge', isSquashed }, async (merge, place) => {
    if (merge.isMerged) throw new Error('there is no conflict');
    const conflict = await place.openConflict(merge.conflicts, scratch);
    work({
      path: place.cwd,
      write: (name, text) => writeFileSync(join(place.cwd, name), text),
      git: (...args) => folder.git('-C', place.cwd, ...args),
      remove: (name) => folder.remove(join('.ralph/worktrees/land-run-1', name)),
    });
    const settled = await conflict.settle();
    return { ...settled, folder, conflict, show: (path) => folder.git('show', `${settled.commit}:${path}`) };
  });
}

const write =
  (text: string, name = 'file.txt') =>
  (folder: TestFolder): void =>
    folder.write(name, text);

type Change = Sides['run'];

const both =
  (first: Change, second: Change): Change =>
  (folder) => {
    first(folder);
    second(folder);
  };

const BOTH: Sides = { target: write('ours\n'), run: write('theirs\n') };

describe('a conflict that somebody resolves in the files', () => {
  it('becomes a merge of both sides with what the files are then', async () => {
    const { commit, folder, show, faults, others, conflict } = await resolveIn(BOTH, ({ write: put }) => put('file.txt', 'both\n'));
    expect([faults, others]).toEqual([[], []]);
    expect(show('file.txt')).toBe('both\n');
    expect(
      folder
        .git('rev-list', '--parents', '-n1', commit ?? '')
        .trim()
        .split(' ')
        .slice(1),
    ).toEqual([folder.git('rev-parse', 'main').trim(), folder.git('rev-parse', 'ralph/blue').trim()]);
    expect(conflict.files).toEqual([{ path: 'file.txt', what: 'changed by both', isMarked: true }]);
    expect(conflict.targetCommits).toEqual([expect.stringMatching(/^[0-9a-f]+ by the person$/)]);
    expect(conflict.sourceCommits).toEqual([expect.stringMatching(/^[0-9a-f]+ by the run$/)]);
  });

  it('becomes one commit where it is squashed', async () => {
    const { commit, folder } = await resolveIn(BOTH, ({ write: put }) => put('file.txt', 'both\n'), true);
    expect(
      folder
        .git('rev-list', '--parents', '-n1', commit ?? '')
        .trim()
        .split(' '),
    ).toHaveLength(2);
  });

  it('keeps what git merged by itself, files that git ignores and the run added by force among it', async () => {
    const run = (folder: TestFolder): void => {
      write('theirs\n')(folder);
      write('new\n', 'new.txt')(folder);
      write('kept\n', 'kept.log')(folder);
      folder.git('add', '--force', 'kept.log');
    };
    const { show, others } = await resolveIn({ ...BOTH, run }, ({ write: put }) => put('file.txt', 'both\n'));
    expect([show('new.txt'), show('kept.log'), others]).toEqual(['new\n', 'kept\n', []]);
  });

  it('takes along other files that were changed or made for it, and names them', async () => {
    const { show, others } = await resolveIn(BOTH, ({ write: put }) => {
      put('file.txt', 'both\n');
      put('other.txt', 'needed\n');
      put('made.txt', 'made\n');
      put('noise.log', 'noise\n');
    });
    expect(others).toEqual(['made.txt', 'other.txt']);
    expect([show('other.txt'), show('made.txt')]).toEqual(['needed\n', 'made\n']);
    expect(() => show('noise.log')).toThrow();
  });

  it('is not resolved while a marker is left, by whatever name, in whatever file', async () => {
    expect((await resolveIn(BOTH, () => undefined)).faults).toEqual(['file.txt still has conflict markers']);
    for (const text of ['<<<<<<<\nboth\n', 'both\n=======\nours\n', 'ours\r\n>>>>>>> theirs\r\n']) {
      const { commit, faults } = await resolveIn(BOTH, ({ write: put }) => put('file.txt', text));
      expect([commit, faults]).toEqual([null, ['file.txt still has conflict markers']]);
    }
    const moved = await resolveIn(BOTH, ({ write: put }) => {
      put('file.txt', 'both\n');
      put('other.txt', '<<<<<<< HEAD\nours\n');
    });
    expect(moved.faults).toEqual(['other.txt still has conflict markers']);
  });

  it('may hold lines that look like markers where a side has them: a heading, a page about conflicts', async () => {
    const text = 'Heading\n=======\n<<<<<<< example\n';
    const sides = { base: write(`${text}old\n`), target: write(`${text}ours\n`), run: write(`${text}theirs\n`) };
    const { faults, show } = await resolveIn(sides, ({ write: put }) => put('file.txt', `${text}both\n`));
    expect([faults, show('file.txt')]).toEqual([[], `${text}both\n`]);
  });

  it('is not resolved by deleting a file that both sides have, and may be where a side deleted it', async () => {
    const { commit, faults } = await resolveIn(BOTH, ({ remove }) => remove('file.txt'));
    expect([commit, faults]).toEqual([null, ['file.txt was deleted, though both sides have it']]);
    const deleted = { target: (folder: TestFolder) => folder.remove('file.txt'), run: write('theirs\n') };
    const more = { ...deleted, run: both(write('theirs\n'), write('new\n', 'new.txt')) };
    const { faults: none, show } = await resolveIn(more, ({ remove }) => remove('file.txt'));
    expect(none).toEqual([]);
    expect(show('new.txt')).toBe('new\n');
    expect(() => show('file.txt')).toThrow();
  });

  it('is not resolved by a link in the place of a file, in conflict or not', async () => {
    const link = (name: string) => async () => {
      const { commit, faults } = await resolveIn(BOTH, (worktree) => {
        worktree.write('file.txt', 'both\n');
        worktree.remove(name);
        symlinkSync('/etc/hostname', join(worktree.path, name));
      });
      return [commit, faults];
    };
    expect(await link('file.txt')()).toEqual([null, ['file.txt was made a link']]);
    expect(await link('other.txt')()).toEqual([null, ['other.txt was made a link']]);
  });

  it('needs a word where git marks nothing: a change, or `git add`', async () => {
    const binary = (last: number) => (folder: TestFolder) => writeFileSync(join(folder.path, 'file.txt'), Buffer.of(0, 1, last));
    const sides = {
      base: binary(2),
      target: binary(3),
      run: both(binary(4), write('new\n', 'new.txt')),
    };
    const silent = await resolveIn(sides, () => undefined);
    expect(silent.conflict.files).toMatchObject([{ isMarked: false }]);
    expect(silent.faults).toEqual([expect.stringContaining('file.txt is undecided')]);
    expect((await resolveIn(sides, ({ git }) => void git('add', 'file.txt'))).faults).toEqual([]);
    expect((await resolveIn(sides, ({ write: put }) => put('file.txt', Buffer.of(0, 9)))).faults).toEqual([]);
  });

  it('asks for no word about the old name of a file that both sides renamed, and for one about each new name', async () => {
    const rename = (name: string) => (folder: TestFolder) => void folder.git('mv', 'file.txt', name);
    const { faults } = await resolveIn({ target: rename('ours.txt'), run: rename('theirs.txt') }, ({ git, remove }) => {
      remove('theirs.txt');
      git('add', 'ours.txt');
    });
    expect(faults).toEqual(['nothing is left of what the run did']);
    const silent = await resolveIn({ target: rename('ours.txt'), run: rename('theirs.txt') }, () => undefined);
    expect(silent.faults).toEqual([expect.stringContaining('ours.txt is undecided'), expect.stringContaining('theirs.txt is undecided')]);
  });

  it('is no resolution where the merge was given up, or nothing of the run is left', async () => {
    const aborted = await resolveIn(BOTH, ({ git }) => void git('merge', '--abort'));
    expect(aborted.faults).toEqual(['the merge was given up: it is not under way any more']);
    const moved = await resolveIn(BOTH, ({ git }) => void git('checkout', '--quiet', '--force', 'ralph/blue~1'));
    expect(moved.faults).toEqual(['HEAD was moved to another commit than the merge']);
    const ours = await resolveIn(BOTH, ({ write: put }) => put('file.txt', 'ours\n'));
    expect(ours.faults).toEqual(['nothing is left of what the run did']);
  });

  it('counts where it was committed all the same: the commit is made anew, from the files', async () => {
    const { commit, show, folder } = await resolveIn(BOTH, ({ write: put, git }) => {
      put('file.txt', 'both\n');
      git('commit', '--quiet', '--all', '--message', 'by the agent');
    });
    expect([show('file.txt'), folder.git('show', '-s', '--format=%s', commit ?? '').trim()]).toEqual(['both\n', 'Merge']);
  });

  it('is not believed where the folder became one of another repository', async () => {
    const { faults } = await resolveIn(BOTH, ({ path }) => writeFileSync(join(path, '.git'), `gitdir: ${join(path, '../../../.git')}\n`));
    expect(faults).toEqual(['the folder is not the worktree any more that it was']);
  });

  it('is checked out anew: what git ignores there is gone before anybody asks about it', async () => {
    const folder = createTestRepository({ 'file.txt': 'old\n', '.gitignore': '*.log\n' });
    folder.git('checkout', '--quiet', '-b', 'ralph/blue');
    folder.write('file.txt', 'theirs\n');
    folder.git('commit', '--quiet', '--all', '--message', 'run');
    folder.git('checkout', '--quiet', 'main');
    folder.write('file.txt', 'ours\n');
    folder.git('commit', '--quiet', '--all', '--message', 'mine');
    const landing = await openLanding({
      ...folder.settings,
      stateDir: '.ralph',
      runId: 'run-1',
      branch: 'ralph/blue',
      onto: 'main',
      links: [],
    });
    const status = await landing.mergeIn({ subject: 'Merge', isSquashed: false }, async (merge, place) => {
      const conflict = await place.openConflict(merge.isMerged ? [] : merge.conflicts, join(folder.path, '.ralph/scratch'));
      writeFileSync(join(place.cwd, 'file.txt'), 'both\n');
      appendFileSync(join(place.cwd, 'green.log'), 'true\n');
      await conflict.settle();
      return folder.git('-C', place.cwd, 'status', '--porcelain', '--ignored');
    });
    expect(status).toBe('');
  });
});
