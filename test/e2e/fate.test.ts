import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

interface Worked {
  readonly folder: string;
  /** A file in the folder of the run. */
  readonly toPath: (name: string) => string;
}

/** A repository in which a run has worked in the worktree `blue`. */
async function withRun(use: (place: Worked) => Promise<void>): Promise<void> {
  const body = 'echo changed > tracked.txt; echo LOOP_COMPLETE';
  await withPlace(toFiles('', body, { 'tracked.txt': 'old\n' }), async (folder) => {
    makeRepository(folder);
    const run = await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue']);
    expect(run.code, run.stdout + run.stderr).toBe(0);
    const { runId } = JSON.parse((await ralph(folder, ['review', '--format', 'json'])).stdout);
    await use({ folder, toPath: (name) => join(folder, '.ralph/runs', runId, name) });
  });
}

const faces = async (folder: string): Promise<readonly string[]> =>
  Promise.all(['review', 'show', 'status'].map(async (command) => (await ralph(folder, [command])).stdout));

describe.concurrent('what became of a run', () => {
  test('is told as unknown where the record of its last undo cannot be read, and it is neither landed nor offered', async () => {
    await withRun(async ({ folder, toPath }) => {
      await ralph(folder, ['undo', '--yes']);
      const main = git(folder, 'rev-parse', 'main');
      for (const broken of ['{"version":1,"kind":"un', '{"version":2}', 'null', '']) {
        writeFileSync(toPath('undo.json'), broken);
        for (const said of await faces(folder))
          expect(said).toMatch(/Undone +nobody can tell: undo.json in the folder of the run cannot be read/);
        expect((await ralph(folder, ['review'])).stdout).toContain('ralph undo');
        const refused = await ralph(folder, ['land']);
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/is not landed, for it may be undone: .*mv /s)]);
      }
      expect((await ralph(folder, ['pr', '--dry-run'])).stderr).toContain('is not offered, for it may be undone');
      expect([git(folder, 'rev-parse', 'main'), git(folder, 'rev-list', '--count', 'main..ralph/blue')]).toEqual([main, '1']);
      renameSync(toPath('undo.json'), `${toPath('undo.json')}.old`);
      for (const said of await faces(folder)) expect(said).not.toContain('Undone');
    });
  });

  test('is told where an undo of it was interrupted, which is finished before it is landed', async () => {
    await withRun(async ({ folder, toPath }) => {
      await ralph(folder, ['undo', '--yes']);
      const record = JSON.parse(readFileSync(toPath('undo.json'), 'utf8'));
      writeFileSync(toPath('undo.json'), JSON.stringify({ ...record, state: 'doing' }));
      for (const said of await faces(folder)) expect(said).toMatch(/Undone +an undo was interrupted/);
      expect((await ralph(folder, ['review'])).stdout).toContain('Finish its undo: `ralph undo --yes`.');
      expect(await ralph(folder, ['land'])).toMatchObject({ code: 1, stderr: expect.stringContaining('an undo of it was interrupted') });
      for (const _ of ['finish', 'bring back']) expect((await ralph(folder, ['undo', '--yes'])).code).toBe(0);
      expect((await ralph(folder, ['land'])).code).toBe(0);
      expect(readFileSync(join(folder, 'tracked.txt'), 'utf8')).toBe('changed\n');
    });
  });

  test('is told as unknown where the record of its landing cannot be read, and it does not land twice', async () => {
    await withRun(async ({ folder, toPath }) => {
      expect((await ralph(folder, ['land', '--squash'])).code).toBe(0);
      git(folder, 'revert', '--no-edit', 'HEAD');
      const main = git(folder, 'rev-parse', 'main');
      expect(existsSync(toPath('land.json'))).toBe(true);
      writeFileSync(toPath('land.json'), '{}');
      for (const said of await faces(folder)) expect(said).toMatch(/Landed +nobody can tell: land.json/);
      const refused = await ralph(folder, ['land', '--squash']);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/may have landed already.*git log --grep/s)]);
      expect(git(folder, 'rev-parse', 'main')).toBe(main);
    });
  });
});
