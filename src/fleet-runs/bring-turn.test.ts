import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bringHome, createPlace, edit, readAll, removeFolders, setUp } from './place-tree-fixtures.ts';

afterAll(removeFolders);

/** A turn whose agent changed two files and committed one of them, on its way home. */
async function commitElsewhere(prepare: (run: Awaited<ReturnType<typeof setUp>>) => void = () => undefined) {
  const run = await setUp();
  prepare(run);
  const place = await createPlace(run);
  const from = await place.tree.show(await run.send());
  edit(place.repo.path, { path: 'a.txt', what: 1 });
  edit(place.repo.path, { path: 'sub/c.txt', what: 'remove' });
  place.repo.git('add', '-A', 'a.txt', 'sub');
  place.repo.git('commit', '-qm', 'its own');
  edit(place.repo.path, { path: 'f', what: 2 });
  return { run, place, home: { from, ...(await place.tree.collect()) } };
}

describe('what an agent committed elsewhere', () => {
  test('is a commit here, by its name and its message, and what it did not commit is not committed', async () => {
    const { run, place, home } = await commitElsewhere();
    expect((await bringHome(run, home)).told).toEqual([]);
    for (const ask of [
      ['log', '--format=%H %s'],
      ['status', '--porcelain', '--', ':!.ralph'],
      ['symbolic-ref', 'HEAD'],
    ])
      expect(run.repo.git(...ask)).toBe(place.repo.git(...ask));
    expect(run.repo.git('log', '--format=%s')).toBe('its own\nfirst\n');
    expect(readAll(run.repo)).toEqual(readAll(place.repo));
    const next = await createPlace(run);
    await next.tree.show(await run.send());
    expect([next.repo.git('log', '--format=%s'), readAll(next.repo)]).toEqual(['its own\nfirst\n', readAll(run.repo)]);
  });

  test('comes twice without harm, also where it was cut off before the branch went on', async () => {
    const { run, home } = await commitElsewhere();
    await bringHome(run, home);
    const twice = await bringHome(run, home);
    expect([twice.conflict, twice.told]).toEqual([undefined, []]);
    run.repo.git('update-ref', 'HEAD', 'HEAD~1');
    expect((await bringHome(run, home)).told).toEqual([]);
    expect(run.repo.git('log', '--format=%s')).toBe('its own\nfirst\n');
    expect(run.repo.git('status', '--porcelain', '--', ':!.ralph')).toBe('?? f\n');
  });

  test('comes without any changed file, too', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    const from = await place.tree.show(await run.send());
    place.repo.git('commit', '-qm', 'a note', '--allow-empty');
    await bringHome(run, { from, ...(await place.tree.collect()) });
    expect(run.repo.git('log', '--format=%s')).toBe('a note\nfirst\n');
  });

  test('leaves staged what somebody has staged here', async () => {
    const { run, home } = await commitElsewhere(({ repo }) => {
      edit(repo.path, { path: 'b.txt', what: 5 });
      repo.git('add', 'b.txt');
    });
    await bringHome(run, home);
    expect(run.repo.git('status', '--porcelain', '--', ':!.ralph')).toBe('M  b.txt\n?? f\n');
  });

  test('takes along what somebody has staged of the same file, as a commit here would', async () => {
    const { run, home } = await commitElsewhere(({ repo }) => {
      edit(repo.path, { path: 'a.txt', what: 4 });
      repo.git('add', 'a.txt');
      edit(repo.path, { path: 'a.txt', what: 5 });
    });
    await bringHome(run, home);
    expect(run.repo.git('status', '--porcelain', '--', ':!.ralph')).toBe('?? f\n');
  });

  test('brings no link that leads out of the folder', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    const from = await place.tree.show(await run.send());
    symlinkSync('/etc/passwd', join(place.repo.path, 'out'));
    place.repo.git('add', 'out');
    place.repo.git('commit', '-qm', 'a way out');
    const { told } = await bringHome(run, { from, ...(await place.tree.collect()) });
    expect(told[0]).toContain('the link "out" does not travel');
    expect(run.repo.git('log', '--format=%s')).toBe('first\n');
  });

  test.each(['--skip-worktree', '--assume-unchanged'])('never comes over a file of which git was told to look away (%s)', async (mark) => {
    const { run, home } = await commitElsewhere(({ repo }) => {
      repo.git('update-index', mark, 'a.txt');
      writeFileSync(join(repo.path, 'a.txt'), 'my own\n');
    });
    expect((await bringHome(run, home)).conflict?.paths).toEqual(['a.txt']);
    expect(readAll(run.repo)['a.txt']).toBe('my own\n');
    expect(run.repo.git('log', '--format=%s')).toBe('first\n');
  });

  test('is there where HEAD is no branch', async () => {
    const { run, home } = await commitElsewhere(({ repo }) => repo.git('checkout', '-q', '--detach'));
    expect((await bringHome(run, home)).told).toEqual([]);
    expect([run.repo.git('log', '--format=%s'), run.repo.git('log', '--format=%s', 'main')]).toEqual(['its own\nfirst\n', 'first\n']);
  });

  test.each<readonly [string, string, (run: Awaited<ReturnType<typeof setUp>>) => void]>([
    [
      'somebody has committed here',
      'somebody has committed meanwhile',
      ({ repo }) => void repo.git('commit', '-qm', 'mine', '--allow-empty'),
    ],
    ['another branch is checked out', 'another branch is checked out', ({ repo }) => void repo.git('checkout', '-qb', 'other')],
    ['a merge is under way', 'merge', ({ repo }) => writeFileSync(join(repo.path, '.git/MERGE_HEAD'), repo.git('rev-parse', 'HEAD'))],
  ])('is there as changed files where %s, and that is told', async (_where, why, meanwhile) => {
    const { run, place, home } = await commitElsewhere();
    meanwhile(run);
    const before = run.repo.git('rev-parse', 'HEAD');
    const { told, conflict } = await bringHome(run, home);
    expect([told.length, conflict]).toEqual([1, undefined]);
    expect(told[0]).toContain('committed is here as changed files only');
    expect(told[0]).toContain(why);
    expect(run.repo.git('rev-parse', 'HEAD')).toBe(before);
    expect(readAll(run.repo)).toEqual(readAll(place.repo));
  });

  test('stays where it was made when it holds, or held for one commit, what does not travel', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    const from = await place.tree.show(await run.send());
    writeFileSync(join(place.repo.path, '.env'), 'TOKEN=1\n');
    place.repo.git('add', '-f', '.env');
    place.repo.git('commit', '-qm', 'oops');
    place.repo.git('rm', '-q', '.env');
    place.repo.git('commit', '-qm', 'gone again');
    const { told } = await bringHome(run, { from, ...(await place.tree.collect()) });
    expect(told[0]).toContain('".env" does not travel');
    // Nor is it left where others see it.
    expect(run.repo.git('log', '--all', '--format=%s', '--', '.env')).toBe('');
    expect(run.repo.git('log', '--format=%s')).toBe('first\n');
  });

  test('is not there where nothing was to be changed, nor where its files are in conflict', async () => {
    const { run, home } = await commitElsewhere();
    expect((await bringHome(run, home, undefined, true)).discarded).toContain('a.txt');
    edit(run.repo.path, { path: 'a.txt', what: 7 });
    expect((await bringHome(run, home)).conflict?.paths).toEqual(['a.txt']);
    expect(run.repo.git('log', '--format=%s')).toBe('first\n');
  });

  test('is not there when it does not go on from what was sent, or is not what it is said to be', async () => {
    const { run, place, home } = await commitElsewhere();
    const { commits } = home;
    if (commits === null || 'why' in commits) throw new Error('nothing was committed');
    const other = { ...commits, commit: run.repo.git('rev-parse', 'HEAD^{tree}').trim() };
    expect((await bringHome(run, { ...home, commits: other })).told[0]).toContain('another commit than was said');
    expect(run.repo.git('log', '--format=%s')).toBe('first\n');
    place.repo.git('reset', '-q', '--soft', 'HEAD~1');
    place.repo.git('commit', '-q', '--amend', '-m', 'made anew');
    await place.tree.show(await run.send());
    place.repo.git('commit', '-q', '--amend', '-m', 'made anew once more', '--allow-empty');
    expect((await place.tree.collect()).commits).toEqual({ why: 'its agent went back behind the commit that it was given' });
  });
});

describe('what does not come', () => {
  test('is given up where it is not wanted any more, and nothing of the turn is written', async () => {
    const { run, home } = await commitElsewhere();
    const { blobs } = run.parts.fleet;
    const parts = { ...run.parts, fleet: { ...run.parts.fleet, blobs: { ...blobs, get: () => new Promise<null>(() => undefined) } } };
    const before = readAll(run.repo);
    const stop = new AbortController();
    const bring = bringHome({ ...run, parts }, home, undefined, false, stop.signal);
    setTimeout(() => stop.abort(), 50);
    await expect(bring).rejects.toThrow('aborted');
    expect(readAll(run.repo)).toEqual(before);
  });

  test('costs its commits alone where it is they, and they break', async () => {
    const { run, home } = await commitElsewhere();
    const { blobs } = run.parts.fleet;
    const bundle = home.commits !== null && 'blob' in home.commits ? home.commits.blob : '';
    const get: typeof blobs.get = (hash, reading) =>
      hash === bundle ? Promise.reject(new Error('nothing of a file came for 30 s')) : blobs.get(hash, reading);
    const parts = { ...run.parts, fleet: { ...run.parts.fleet, blobs: { ...blobs, get } } };
    expect((await bringHome({ ...run, parts }, home)).told).toEqual([expect.stringContaining('did not give them')]);
  });
});

describe('outputs of a turn', () => {
  test('come without one that is larger than a worker may send, which is told, and all else of the turn comes', async () => {
    const { run, place, home } = await commitElsewhere();
    const blob = await run.parts.fleet.blobs.put(Buffer.alloc((64 << 20) + 1));
    const turn = join(run.parts.paths.turns, '9.1');
    mkdirSync(turn, { recursive: true });
    const files = [
      { name: 'stdout.log', blob },
      { name: 'text.md', bytes: Buffer.from('done').toString('base64') },
    ];
    const { told } = await bringHome(run, { ...home, files });
    expect(told).toEqual([expect.stringContaining('stdout.log is not here')]);
    expect([readdirSync(turn), readAll(run.repo)]).toEqual([['text.md'], readAll(place.repo)]);
  });
});
