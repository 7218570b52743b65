import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Repository } from './contract.ts';
import { captureGitPrograms, findRepository } from './repository.ts';
import { createTestRepository, removeTestFolders, type TestFolder } from './repository-fixtures.ts';

afterEach(removeTestFolders);

/** A repository whose agents may run what was there when it was made. */
async function openGuarded(prepare: (folder: TestFolder) => void = () => undefined) {
  const folder = createTestRepository({ 'a.txt': 'a\n', '.gitattributes': '*.txt filter=x\n' });
  prepare(folder);
  const programs = await captureGitPrograms(folder.settings);
  const found = await findRepository({ ...folder.settings, programs });
  if (!found.ok) throw new Error(found.refused);
  const sign = join(folder.path, '.git/ran');
  return {
    folder,
    programs,
    repository: found.value,
    command: `touch '${sign}'; cat`,
    /** Lets git look at a changed file, as a checkpoint does. */
    async look({ git }: Repository = found.value) {
      rmSync(sign, { force: true });
      folder.write('a.txt', `${Math.random()}\n`);
      const added = await git(['add', 'a.txt']);
      await git(['status', '--porcelain=v2']);
      return { ok: added.ok, ran: existsSync(sign) };
    },
  };
}

const keysOf = async ({ findPrograms }: Repository) => (await findPrograms?.())?.keys;

describe('a filter that was not there at the start', () => {
  it.each(['clean', 'process'])('is not run (%s), does not fail, and is told', async (kind) => {
    const { folder, repository, command, look } = await openGuarded();
    expect(await look()).toEqual({ ok: true, ran: false });
    folder.git('config', `filter.x.${kind}`, `${command}; exit 1`);
    folder.git('config', 'filter.x.required', 'true');
    expect(await look()).toEqual({ ok: true, ran: false });
    expect(await keysOf(repository)).toEqual([`filter.x.${kind}`, 'filter.x.required']);
  });

  it('is not run, in whatever file and under whatever name it is said', async () => {
    const { folder, repository, command, look } = await openGuarded();
    folder.write('.gitattributes', '*.txt filter=a=b.c\n');
    folder.git('config', 'include.path', '../later.cfg');
    expect((await look()).ran).toBe(false);
    folder.write('later.cfg', `[filter "a=b.c"]\nclean = "${command.replaceAll('"', '\\"')}"\n`);
    expect(await look()).toEqual({ ok: true, ran: false });
    expect(await keysOf(repository)).toEqual(['filter.a=b.c.clean']);
  });

  it('is not said to be gone, and stays guarded, while git cannot read its configuration', async () => {
    const { folder, repository, command, look } = await openGuarded(({ git }) => void git('config', 'filter.y.clean', 'cat'));
    folder.git('config', 'filter.x.clean', command);
    expect(await look()).toEqual({ ok: true, ran: false });
    renameSync(join(folder.path, '.git/config'), join(folder.path, '.git/away'));
    folder.write('.git/config', '[no configuration\n');
    expect(await keysOf(repository)).toEqual([]);
    renameSync(join(folder.path, '.git/away'), join(folder.path, '.git/config'));
    expect(await look()).toEqual({ ok: true, ran: false });
    expect(await keysOf(repository)).toEqual(['filter.x.clean']);
  });

  it('is not run from a file that git could not read at first', async () => {
    const { folder, repository, command, look } = await openGuarded();
    folder.git('config', 'include.path', '../later.cfg');
    folder.write('later.cfg', '[broken\n');
    expect((await look()).ok).toBe(false);
    folder.write('later.cfg', `[filter "x"]\nclean = "${command.replaceAll('"', '\\"')}"\n`);
    expect(await look()).toEqual({ ok: true, ran: false });
    expect(await keysOf(repository)).toEqual(['filter.x.clean']);
  });

  it('is not run where it is planted behind a link that was there before', async () => {
    const { folder, repository, command, look } = await openGuarded(({ path }) => {
      renameSync(join(path, '.git/config'), join(path, '.git/kept'));
      symlinkSync('kept', join(path, '.git/config'));
    });
    expect(await look()).toEqual({ ok: true, ran: false });
    folder.git('config', '-f', '.git/kept', 'filter.x.clean', command);
    expect(await look()).toEqual({ ok: true, ran: false });
    expect(await keysOf(repository)).toEqual(['filter.x.clean']);
  });

  it('is not run where the branch brings it along, or the own configuration of a worktree', async () => {
    const { folder, repository, command, look } = await openGuarded();
    folder.git('branch', 'other');
    folder.write('.git/more.cfg', `[filter "x"]\nclean = "${command}"\n`);
    folder.git('config', 'includeIf.onbranch:other.path', 'more.cfg');
    expect((await look()).ran).toBe(false);
    folder.git('symbolic-ref', 'HEAD', 'refs/heads/other');
    expect((await look()).ran).toBe(false);
    folder.git('symbolic-ref', 'HEAD', 'refs/heads/main');
    folder.git('config', 'extensions.worktreeConfig', 'true');
    writeFileSync(join(folder.path, '.git/config.worktree'), `[filter "x"]\nclean = "${command}"\n`);
    expect((await look()).ran).toBe(false);
    expect(await keysOf(repository)).toEqual(['filter.x.clean']);
  });
});

describe('a filter of the user', () => {
  it('goes on to work, of the repository and of the home, and is not told', async () => {
    const { repository, look } = await openGuarded((folder) => {
      const sign = join(folder.path, '.git/ran');
      writeFileSync(join(folder.env['HOME'] ?? '', '.gitconfig'), `[filter "x"]\nclean = "touch '${sign}'; cat"\n`, { flag: 'a' });
    });
    expect(await look()).toEqual({ ok: true, ran: true });
    expect(await keysOf(repository)).toEqual([]);
  });

  it('is run as it was, when an agent has changed or removed it', async () => {
    const { folder, repository, look } = await openGuarded(({ path, git }) => {
      git('config', 'filter.x.clean', `touch '${join(path, '.git/ran')}'; cat`);
    });
    folder.git('config', 'filter.x.clean', 'touch evil; cat');
    expect(await look()).toEqual({ ok: true, ran: true });
    expect(existsSync(join(folder.path, 'evil'))).toBe(false);
    folder.git('config', '--unset', 'filter.x.clean');
    expect(await look()).toEqual({ ok: true, ran: true });
    expect(await keysOf(repository)).toEqual(['filter.x.clean']);
  });
});

it('speaks to nobody when an agent says by which program', async () => {
  const { folder, repository, command } = await openGuarded();
  folder.git('config', 'core.sshCommand', command);
  folder.git('config', 'remote.origin.url', 'ssh://localhost/x');
  folder.git('config', 'remote.origin.promisor', 'true');
  folder.git('config', 'core.repositoryFormatVersion', '1');
  folder.git('config', 'extensions.partialClone', 'origin');
  await repository.git(['cat-file', '-p', '0123456789012345678901234567890123456789']);
  expect(existsSync(join(folder.path, '.git/ran'))).toBe(false);
  expect(await keysOf(repository)).toEqual(['core.sshcommand']);
});
