import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { captureGitPrograms } from '../../git/repository.ts';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { type BranchOffer, openOffer } from './offer-branch.ts';

afterAll(removeTestFolders);

interface Bench {
  readonly folder: TestFolder;
  readonly remote: string;
  /** A program that leaves a mark in the repository and then does git's own work. */
  readonly program: string;
  readonly hasRun: () => boolean;
  /** True if the branch is there. */
  readonly isThere: (path: string) => boolean;
}

function open(): Bench {
  const folder = createTestRepository({ 'a.txt': 'a\n' });
  folder.git('branch', 'ralph/blue');
  const remote = join(folder.path, '.git/remote.git');
  folder.git('init', '--quiet', '--bare', remote);
  folder.git('remote', 'add', 'origin', remote);
  const mark = join(folder.path, '.git/ran');
  return {
    folder,
    remote,
    program: `touch '${mark}'; git-receive-pack`,
    hasRun: () => existsSync(mark),
    isThere: (path) => folder.git(`--git-dir=${path}`, 'for-each-ref', 'refs/heads/ralph/blue') !== '',
  };
}

async function offer({ folder }: Bench, change: () => void): Promise<BranchOffer> {
  const programs = await captureGitPrograms(folder.settings);
  change();
  return openOffer({ ...folder.settings, programs, branch: 'ralph/blue', base: 'main', remote: null });
}

it('a branch is pushed to the one address of the remote', async () => {
  const bench = open();
  const { push, url } = await offer(bench, () => undefined);
  await push({});
  expect([url, bench.isThere(bench.remote)]).toEqual([bench.remote, true]);
});

it('a push runs no program that was named for the other side since the run began', async () => {
  const bench = open();
  const { push } = await offer(bench, () => bench.folder.git('config', 'remote.origin.receivepack', bench.program));
  await push({}).catch(() => undefined);
  expect(bench.hasRun()).toBe(false);
});

it('a push runs the program that a person named for the other side before the run began', async () => {
  const bench = open();
  bench.folder.git('config', 'remote.origin.receivepack', bench.program);
  const { push } = await offer(bench, () => undefined);
  await push({});
  expect([bench.hasRun(), bench.isThere(bench.remote)]).toEqual([true, true]);
});

it('a remote with several addresses is not pushed to, for only one could be shown', async () => {
  const bench = open();
  const other = join(bench.folder.path, '.git/other.git');
  const opened = offer(bench, () => {
    bench.folder.git('config', '--add', 'remote.origin.pushurl', bench.remote);
    bench.folder.git('config', '--add', 'remote.origin.pushurl', other);
  });
  await expect(opened).rejects.toThrow(/^the remote "origin" has 2 addresses .*remote\.git, .*other\.git/);
});
