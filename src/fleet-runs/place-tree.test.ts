import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { replaceFiles, writeChanges } from '../workspace/bundle/file-changes.ts';
import { bringSnapshots } from './fetch-run.ts';
import { bringHome, createPlace, createTestRepository, edit, open, PATHS, readAll, removeFolders, setUp } from './place-tree-fixtures.ts';
import { fetchTree, toFileChanges } from './sent-work.ts';

afterAll(removeFolders);

const edits = fc.array(
  fc.record({
    path: fc.constantFrom(...PATHS),
    what: fc.oneof(fc.constantFrom('remove' as const, 'link' as const, 'run' as const), fc.integer({ min: 0, max: 7 })),
  }),
  { maxLength: 4 },
);

/** A turn on one of two workers, and what else happens before it. */
const turns = fc.array(
  fc.record({
    worker: fc.integer({ min: 0, max: 1 }),
    before: edits,
    made: edits,
    commits: fc.constantFrom('nobody', 'nobody', 'nobody', 'person', 'agent'),
    isBrought: fc.boolean(),
    gate: fc.option(edits),
  }),
  { minLength: 1, maxLength: 5 },
);

describe('a working tree that travels step by step', () => {
  test('is on each worker what it is where the run is, whatever changed it and whoever has it next', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (list) => {
        const run = await setUp();
        const places = [await createPlace(run), await createPlace(run)];
        const trees = [await run.send()];
        for (const { worker, before, made, commits, isBrought, gate } of list) {
          for (const one of before) edit(run.repo.path, one);
          if (commits === 'person') {
            run.repo.git('add', '-A', ':!.ralph');
            run.repo.git('commit', '-qm', 'mine', '--allow-empty');
          }
          const place = places[worker];
          if (place === undefined) throw new Error('no such worker');
          if (gate !== null) {
            await place.tree.show(await run.send(false));
            expect(readAll(place.repo)).toEqual(readAll(run.repo));
            for (const one of gate) edit(place.repo.path, one);
            await place.tree.leave();
          }
          const sent = await run.send();
          trees.push(sent);
          expect(await place.tree.show(sent)).toBe(sent.steps.at(-1)?.to ?? sent.work.tree);
          expect(readAll(place.repo)).toEqual(readAll(run.repo));
          for (const one of made) edit(place.repo.path, one);
          if (commits === 'agent') {
            place.repo.git('add', '-A', ':!.ralph');
            place.repo.git('commit', '-qm', 'its own', '--allow-empty');
          }
          const after = readAll(place.repo);
          const { changes: body } = await place.tree.collect();
          if (!isBrought) continue;
          expect(await run.bring(body)).toEqual({});
          expect(readAll(run.repo)).toEqual(after);
        }
        // Whoever goes on has the same from what was sent alone.
        const last = await run.send();
        const [elsewhere, other] = [createTestRepository({ x: 'x\n' }), createTestRepository({ x: 'x\n' })];
        const scratch = join(elsewhere.path, '.git', 'scratch');
        const tree = await fetchTree(run.fleet.blobs, await open(elsewhere), last, scratch);
        elsewhere.git('read-tree', '--reset', '-u', tree.commit);
        expect(readAll(elsewhere)).toEqual(readAll(run.repo));
        // Each of the trees is there by the name of its contents.
        const names = [...trees, last].map(({ work, steps }, number) => [`${number}.1/after`, steps.at(-1)?.to ?? work.tree] as const);
        const kept = { runId: 'run-1', trees: [...trees, last], snapshots: new Map(names) };
        for (const repo of [elsewhere, other])
          expect(await bringSnapshots(run.fleet.blobs, await open(repo), kept, join(repo.path, '.git', 'scratch'))).toEqual([]);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  test('holds nothing that git ignores from some moment on', async () => {
    const run = await setUp();
    edit(run.repo.path, { path: 'f', what: 1 });
    await run.send();
    writeFileSync(join(run.repo.path, 'f'), 'secret\n');
    writeFileSync(join(run.repo.path, '.gitignore'), 'f\n');
    const sent = await run.send();
    const place = await createPlace(run);
    await place.tree.show(sent);
    expect(readAll(place.repo)).not.toHaveProperty('f');
    expect(JSON.stringify([sent, run.records])).not.toContain(Buffer.from('secret\n').toString('base64'));
  });

  test('sends a small change without git, and the whole after a commit', async () => {
    const run = await setUp();
    await run.send();
    edit(run.repo.path, { path: 'a.txt', what: 1 });
    const sent = await run.send();
    expect([sent.steps.length, run.records.map(({ kind }) => kind)]).toEqual([1, ['tree', 'step']]);
    expect(await run.send()).toEqual(sent);
    run.repo.git('commit', '-qam', 'mine');
    expect((await run.send()).steps).toEqual([]);
  });
});

describe('what a turn made elsewhere', () => {
  test('does not come over a file that somebody changed meanwhile, and is kept beside', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    await place.tree.show(await run.send());
    edit(place.repo.path, { path: 'a.txt', what: 1 });
    edit(place.repo.path, { path: 'f', what: 2 });
    const { changes: body } = await place.tree.collect();
    edit(run.repo.path, { path: 'a.txt', what: 3 });
    const { conflict } = await run.bring(body, ['a.txt']);
    expect(conflict?.paths).toEqual(['a.txt']);
    expect(readAll(run.repo)).toMatchObject({ 'a.txt': '3\n' });
    expect(readAll(run.repo)).not.toHaveProperty('f');
    const kept = join(run.folder, conflict?.kept ?? '', 'work');
    expect([readFileSync(join(kept, 'a.txt'), 'utf8'), readFileSync(join(kept, 'f'), 'utf8')]).toEqual(['1\n', '2\n']);
  });

  test('takes nothing that is ignored here for its own, and comes twice without harm', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    await place.tree.show(await run.send());
    edit(place.repo.path, { path: 'f', what: 1 });
    const { changes: body } = await place.tree.collect();
    mkdirSync(join(run.repo.path, '.git', 'info'), { recursive: true });
    writeFileSync(join(run.repo.path, '.git', 'info', 'exclude'), 'f\n');
    edit(run.repo.path, { path: 'f', what: 2 });
    expect((await run.bring(body)).conflict?.paths).toEqual(['f']);
    rmSync(join(run.repo.path, 'f'));
    expect(await run.bring(body)).toEqual({});
    expect(await run.bring(body)).toEqual({});
    expect(readFileSync(join(run.repo.path, 'f'), 'utf8')).toBe('1\n');
  });

  test('does not come over what somebody writes while the folder is looked at', async () => {
    for (const path of ['a.txt', 'f'] as const) {
      const run = await setUp();
      const place = await createPlace(run);
      const from = await place.tree.show(await run.send());
      edit(place.repo.path, { path, what: 1 });
      const { changes } = await place.tree.collect();
      const home = await bringHome(run, { from, changes }, () => edit(run.repo.path, { path, what: 2 }));
      expect(home.conflict?.paths).toEqual([path]);
      expect(readAll(run.repo)).toMatchObject({ [path]: '2\n' });
      expect((await bringHome(run, { from, changes })).conflict?.paths).toEqual([path]);
    }
  });

  test('comes into a folder in which somebody changed another file, with the rights that files have there', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    chmodSync(join(run.repo.path, 'a.txt'), 0o640);
    const from = await place.tree.show(await run.send());
    edit(place.repo.path, { path: 'a.txt', what: 1 });
    const home = await bringHome(run, { from, changes: (await place.tree.collect()).changes }, () =>
      edit(run.repo.path, { path: 'b.txt', what: 2 }),
    );
    expect(home).not.toHaveProperty('conflict');
    expect(readAll(run.repo)).toMatchObject({ 'a.txt': '1\n', 'b.txt': '2\n' });
    expect(lstatSync(join(run.repo.path, 'a.txt')).mode & 0o777).toBe(0o640);
  });

  test('is no conflict where its agent left a file in conflict, or took one out of the index', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    const from = await place.tree.show(await run.send());
    const { git, path: top } = place.repo;
    writeFileSync(join(top, 'a.txt'), 'stashed\n');
    git('stash', '-q');
    writeFileSync(join(top, 'a.txt'), 'other\n');
    git('commit', '-qam', 'other');
    expect(() => git('stash', 'pop')).toThrow();
    writeFileSync(join(top, 'a.txt'), 'by hand\n');
    git('rm', '-q', '--cached', 'b.txt');
    writeFileSync(join(top, 'b.txt'), 'kept\n');
    const home = await bringHome(run, { from, changes: (await place.tree.collect()).changes });
    expect(home).not.toHaveProperty('conflict');
    expect(readAll(run.repo)).toMatchObject({ 'a.txt': 'by hand\n', 'b.txt': 'kept\n' });
  });

  test('leaves nothing of itself where not all of it can be written', async () => {
    const { repo } = await setUp();
    const before = readAll(repo);
    const state = { mode: '100644', bytes: Buffer.from('new') } as const;
    expect(
      replaceFiles(
        repo.path,
        new Map([
          ['a.txt', state],
          ['f', state],
          ['f/g', state],
        ]),
        (path) => path !== 'a.txt',
      ),
    ).toBe(false);
    // Stands where a file is written before it takes its place.
    const draft = `.ralph-${createHash('sha256').update('sub/c.txt').digest('hex').slice(0, 16)}.tmp`;
    mkdirSync(join(repo.path, 'sub', draft));
    expect(() =>
      replaceFiles(
        repo.path,
        new Map([
          ['a.txt', state],
          ['sub/c.txt', state],
        ]),
        () => false,
      ),
    ).toThrow();
    rmSync(join(repo.path, 'sub', draft), { recursive: true, force: true });
    expect(readAll(repo)).toEqual(before);
  });

  test('names no file outside of the folder, and none of git’s own', async () => {
    const { fleet } = await setUp();
    for (const path of ['../x', '/x', '.git/config', 'sub/.GIT/hooks/pre-commit', 'a//b', './a', 'a/..', ''])
      await expect(toFileChanges(fleet.blobs, [{ path, mode: null }])).rejects.toThrow('no path of a file');
    await expect(toFileChanges(fleet.blobs, [{ path: 'a', mode: '160000', isNew: true, bytes: '' }])).rejects.toThrow('no kind of file');
  });

  test('goes through no link', async () => {
    const repo = createTestRepository({ x: 'x\n' });
    const elsewhere = createTestRepository({ 'c.txt': 'precious\n' });
    symlinkSync(elsewhere.path, join(repo.path, 'sub'));
    expect(() => writeChanges(repo.path, new Map([['sub/c.txt', { mode: '100644', bytes: Buffer.from('x') }]]))).toThrow('stands where');
    writeChanges(repo.path, new Map([['sub/c.txt', null]]));
    expect(readFileSync(join(elsewhere.path, 'c.txt'), 'utf8')).toBe('precious\n');
  });
});

describe('what a turn sends home', () => {
  test('is refused on its worker where the files that it changed hold more than may travel, before they are read', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    await place.tree.show(await run.send());
    truncateSync(join(place.repo.path, 'a.txt'), 300 << 20);
    await expect(place.tree.collect()).rejects.toMatchObject({ code: 'fleet-too-large', message: expect.stringContaining('256 MB') });
  });

  test('is not called too large where git could not see it', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    await place.tree.show(await run.send());
    writeFileSync(join(place.repo.path, '.git', 'index'), 'no index\n');
    await expect(place.tree.collect()).rejects.toMatchObject({
      code: 'fleet-turn-unseen',
      message: expect.stringMatching(/^What the turn changed cannot be seen: .*index/),
    });
  });
});
