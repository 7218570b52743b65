import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findRepository } from '../../git/repository.ts';
import { createTestRepository, removeTestFolders } from '../repository-fixtures.ts';
import { createTreeNames, dropSnapshots, readTrees } from './tree-names.ts';

afterAll(removeTestFolders);

const REF = 'refs/ralph/run-1';
const BEFORE = `${REF}/1.1/before`;
const AFTER = `${REF}/1.1/after`;

async function open() {
  const folder = createTestRepository({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
  const found = await findRepository(folder.settings);
  if (!found.ok) throw new Error(found.refused);
  const [tree = '', other = ''] = ['HEAD^{tree}', 'HEAD:sub'].map((name) => folder.git('rev-parse', name).trim());
  const listRefs = (): readonly string[] => folder.git('for-each-ref', '--format=%(refname) %(objectname)', REF).split('\n').slice(0, -1);
  return { folder, repository: found.value, tree, other, path: join(folder.path, '.git/ralph/run-1.names'), listRefs };
}

const isNeverLost = (): void => expect.fail('nothing was to be lost');
const GONE = 'e'.repeat(40);

describe('the names of a run’s trees', () => {
  it('are there for whoever reads them before git knows them, and after', async () => {
    const { repository, tree, path, listRefs } = await open();
    const names = createTreeNames(repository, REF, isNeverLost);
    names.add(new Map([[BEFORE, tree]]));
    expect(listRefs()).toEqual([]);
    expect(await readTrees(repository, 'run-1')).toEqual(new Map([['1.1/before', tree]]));
    await names.settle();
    expect([listRefs(), existsSync(path)]).toEqual([[`${BEFORE} ${tree}`], false]);
    expect(await readTrees(repository, 'run-1')).toEqual(new Map([['1.1/before', tree]]));
  });

  it('stand for what was added last', async () => {
    const { repository, tree, other, listRefs } = await open();
    const names = createTreeNames(repository, REF, isNeverLost);
    for (const each of [tree, other]) names.add(new Map([[BEFORE, each]]));
    expect(await readTrees(repository, 'run-1')).toEqual(new Map([['1.1/before', other]]));
    names.add(new Map([[AFTER, tree]]));
    await names.settle();
    expect(listRefs()).toEqual([`${AFTER} ${tree}`, `${BEFORE} ${other}`]);
  });

  it('are told to git by themselves, of several turns at once', async () => {
    const { repository, tree, other, listRefs } = await open();
    const names = createTreeNames(repository, REF, isNeverLost);
    names.add(new Map([[BEFORE, tree]]));
    names.add(new Map([[AFTER, other]]));
    await expect.poll(listRefs).toEqual([`${AFTER} ${other}`, `${BEFORE} ${tree}`]);
  });

  it('are told to git by the next process, where the one that added them was killed in the midst of writing', async () => {
    const { repository, tree, path, listRefs } = await open();
    createTreeNames(repository, REF, isNeverLost).add(new Map([[BEFORE, tree]]));
    appendFileSync(path, `update ${AFTER} ${tree.slice(0, 20)}`);
    expect(await readTrees(repository, 'run-1')).toEqual(new Map([['1.1/before', tree]]));
    await createTreeNames(repository, REF, isNeverLost).settle();
    expect([listRefs(), existsSync(path)]).toEqual([[`${BEFORE} ${tree}`], false]);
  });

  it('that came while git was told are not lost', async () => {
    const { repository, tree, other, listRefs } = await open();
    const names = createTreeNames(repository, REF, isNeverLost);
    names.add(new Map([[BEFORE, tree]]));
    const settled = names.settle();
    await Promise.resolve();
    names.add(new Map([[AFTER, other]]));
    await settled;
    expect((await readTrees(repository, 'run-1')).get('1.1/after')).toBe(other);
    await names.settle();
    expect(listRefs()).toEqual([`${AFTER} ${other}`, `${BEFORE} ${tree}`]);
  });

  it('of trees that a clean-up took are left out, and that is told', async () => {
    const { repository, tree, listRefs } = await open();
    let losses = 0;
    const names = createTreeNames(repository, REF, () => {
      losses += 1;
    });
    names.add(
      new Map([
        [BEFORE, GONE],
        [AFTER, tree],
      ]),
    );
    expect(await readTrees(repository, 'run-1')).toEqual(new Map([['1.1/after', tree]]));
    await names.settle();
    expect([listRefs(), losses]).toEqual([[`${AFTER} ${tree}`], 1]);
  });

  it('are told one by one where git refuses one of them, and that one again when it can be had', async () => {
    const { folder, repository, tree, other, path, listRefs } = await open();
    const lock = join(folder.path, '.git', `${AFTER}.lock`);
    mkdirSync(join(lock, '..'), { recursive: true });
    writeFileSync(lock, '');
    const names = createTreeNames(repository, REF, () => undefined);
    names.add(
      new Map([
        [BEFORE, tree],
        [AFTER, other],
      ]),
    );
    await names.settle();
    expect([listRefs(), (await readTrees(repository, 'run-1')).get('1.1/after')]).toEqual([[`${BEFORE} ${tree}`], other]);
    rmSync(lock);
    await names.settle();
    expect([listRefs(), existsSync(path)]).toEqual([[`${AFTER} ${other}`, `${BEFORE} ${tree}`], false]);
  });

  it('are dropped with the snapshots of the run', async () => {
    const { repository, tree, path } = await open();
    createTreeNames(repository, REF, isNeverLost).add(new Map([[BEFORE, tree]]));
    await dropSnapshots(repository, 'run-1');
    expect([await readTrees(repository, 'run-1'), existsSync(path)]).toEqual([new Map(), false]);
  });

  it('are written through no link that comes into the place of their folder later', async () => {
    const { folder, repository, tree, other, listRefs } = await open();
    const outside = createTestRepository().path;
    const before = readdirSync(outside);
    const names = createTreeNames(repository, REF, isNeverLost);
    names.add(new Map([[BEFORE, tree]]));
    rmSync(join(folder.path, '.git/ralph'), { recursive: true });
    symlinkSync(outside, join(folder.path, '.git/ralph'));
    names.add(new Map([[AFTER, other]]));
    await expect.poll(listRefs).toEqual([`${AFTER} ${other}`, `${BEFORE} ${tree}`]);
    expect(readdirSync(outside)).toEqual(before);
  });

  it('are dropped with the snapshots also where a folder stands in the place of their file', async () => {
    const { repository, tree, path, listRefs } = await open();
    const names = createTreeNames(repository, REF, isNeverLost);
    names.add(new Map([[BEFORE, tree]]));
    await names.settle();
    mkdirSync(join(path, 'x'), { recursive: true });
    expect(await dropSnapshots(repository, 'run-1')).toBe(1);
    expect([listRefs(), existsSync(path)]).toEqual([[], false]);
  });

  it('are never those of another run, or of a branch, whatever stands in the file', async () => {
    const { folder, repository, tree, path, listRefs } = await open();
    mkdirSync(join(folder.path, '.git/ralph'));
    for (const name of ['refs/heads/evil', 'refs/ralph/run-2/1.1/before', `${REF}/../../heads/evil`, 'HEAD'])
      appendFileSync(path, `update ${name} ${tree}\n`);
    appendFileSync(path, `delete refs/heads/main\n`);
    await createTreeNames(repository, REF, isNeverLost).settle();
    expect([listRefs(), folder.git('for-each-ref', '--format=%(refname)')]).toEqual([[], 'refs/heads/main\n']);
  });

  it('are told to git at once where a pipe, or a second name of another file, stands in the place of their file', async () => {
    for (const put of [(path: string) => execFileSync('mkfifo', [path]), (path: string) => linkSync(join(path, '../../../a.txt'), path)]) {
      const { folder, repository, tree, path, listRefs } = await open();
      mkdirSync(join(folder.path, '.git/ralph'));
      put(path);
      createTreeNames(repository, REF, isNeverLost).add(new Map([[BEFORE, tree]]));
      await expect.poll(listRefs).toEqual([`${BEFORE} ${tree}`]);
      expect(readFileSync(join(folder.path, 'a.txt'), 'utf8')).toBe('a\n');
    }
  });

  it.each([
    ['folder', '.git/ralph'],
    ['file', '.git/ralph/run-1.names'],
  ])('are told to git at once where a link stands in the place of their %s, and nothing is written through it', async (_, place) => {
    const { folder, repository, tree, listRefs } = await open();
    const outside = createTestRepository().path;
    if (place !== '.git/ralph') mkdirSync(join(folder.path, '.git/ralph'));
    symlinkSync(place === '.git/ralph' ? outside : join(outside, 'made.txt'), join(folder.path, place));
    const before = readdirSync(outside);
    const names = createTreeNames(repository, REF, isNeverLost);
    names.add(new Map([[BEFORE, tree]]));
    await expect.poll(listRefs).toEqual([`${BEFORE} ${tree}`]);
    expect(readdirSync(outside)).toEqual(before);
  });
});
