import { afterAll, describe, expect, it } from 'vitest';
import { findRepository } from '../../git/repository.ts';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { type MergeConflict, mergeApart } from './merge-apart.ts';

afterAll(removeTestFolders);

interface Sides {
  readonly base: (folder: TestFolder) => void;
  readonly target: (folder: TestFolder) => void;
  readonly run: (folder: TestFolder) => void;
}

/** What is said of the conflicts between both sides. */
async function merge(sides: Sides): Promise<readonly MergeConflict[]> {
  const folder = createTestRepository({ 'kept.txt': 'kept\n' });
  const commit = (change: (folder: TestFolder) => void): string => {
    change(folder);
    folder.git('add', '--all');
    folder.git('commit', '--quiet', '--allow-empty', '--message', 'a change');
    return folder.git('rev-parse', 'HEAD').trim();
  };
  const base = commit(sides.base);
  folder.git('checkout', '--quiet', '--detach', base);
  const source = commit(sides.run);
  folder.git('checkout', '--quiet', '--detach', base);
  const target = commit(sides.target);
  const search = await findRepository(folder.settings);
  if (!search.ok) throw new Error(search.refused);
  const result = await mergeApart(search.value, { runId: 'run-1', source, target, isSquashed: false, subject: 'Merge' });
  return result.isMerged ? [] : result.conflicts;
}

const write =
  (text: string) =>
  (folder: TestFolder): void =>
    folder.write('file.txt', text);

describe('the conflicts of a merge', () => {
  it('show the places with both sides, long ones shortened, three at most', async () => {
    const lines = (word: string): string =>
      [1, 2, 3, 4].map((part) => `${word} ${part}\n${Array.from({ length: 9 }, (_, line) => `same ${part} ${line}\n`).join('')}`).join('');
    const [conflict] = await merge({ base: write(lines('old')), target: write(lines('ours')), run: write(lines('theirs')) });
    expect(conflict).toMatchObject({ path: 'file.txt', what: 'changed by both' });
    expect(conflict?.hunks).toHaveLength(3);
    expect(conflict?.hunks[1]).toMatch(/^<{7} HEAD\nours 2\n={7}\ntheirs 2\n>{7} [0-9a-f]+$/);
    const [long] = await merge({ base: write('old\n'), target: write('ours\n'.repeat(40)), run: write('theirs\n') });
    expect(long?.hunks[0]?.split('\n')).toHaveLength(25);
    expect(long?.hunks[0]).toMatch(/^<{7} HEAD\n(?:ours\n){11}… 20 more lines …\n/);
    expect(long?.hunks[0]).toMatch(/={7}\ntheirs\n>{7} [0-9a-f]+$/);
  });

  it('are told at once, whatever marks a file is full of', async () => {
    const marks = '<<<<<<< a mark that nothing ends\n'.repeat(20_000);
    const began = performance.now();
    const [conflict] = await merge({ base: write('old\n'), target: write(`ours\n${marks}`), run: write(`theirs\n${marks}`) });
    expect(performance.now() - began).toBeLessThan(5000);
    expect(conflict?.path).toBe('file.txt');
  });

  it('show nothing of what a link leads to', async () => {
    const secret = createTestRepository();
    secret.write('secret', '<<<<<<< a\nsecret\n=======\n>>>>>>> b\n');
    const target = `${secret.path}/secret`;
    const [conflict] = await merge({
      base: (folder) => folder.link('file.txt', 'kept.txt'),
      target: (folder) => folder.remove('file.txt'),
      run(folder) {
        folder.remove('file.txt');
        folder.link('file.txt', target);
      },
    });
    expect(conflict).toMatchObject({ path: 'file.txt', what: 'removed or renamed there, changed by the run', hunks: [] });
  });

  it('show the beginning of a huge file alone', async () => {
    const huge = 'x'.repeat(100).concat('\n').repeat(12_000);
    const [conflict] = await merge({
      base: write(`old\n${huge}old\n`),
      target: write(`ours\n${huge}ours\n`),
      run: write(`theirs\n${huge}theirs\n`),
    });
    expect(conflict?.hunks).toHaveLength(1);
  });
});
