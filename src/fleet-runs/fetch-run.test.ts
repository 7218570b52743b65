import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { KeptRecord } from '../fleet/run-records.ts';
import { toRunPaths } from '../journal/run-folder.ts';
import type { RunFile } from '../runs/run-file.ts';
import { bringSnapshots, catchUp } from './fetch-run.ts';
import { type KeptState, readKeptState, writePlace } from './kept-run.ts';
import { goOnElsewhere, type Scene, takeTurns, writeRecords } from './kept-run-fixtures.ts';
import { edit, open, readAll, removeFolders, setUp } from './place-tree-fixtures.ts';

afterAll(removeFolders);

const JOURNAL = readFileSync(new URL('../../fixtures/journals/cooldown.jsonl', import.meta.url), 'utf8');
const ENTRIES: readonly KeptRecord[] = JOURNAL.trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .map(({ seq, input }) => ({ kind: 'entry', entry: { seq, input } }));

/** A run that went on elsewhere, where an agent did something in its second turn. */
async function leave(work: (away: Scene) => void = commit) {
  const home = await setUp();
  const paths = toRunPaths(join(home.repo.path, '.ralph'), 'run-1');
  mkdirSync(paths.turns, { recursive: true });
  writePlace(paths, 'home');
  writeFileSync(join(home.repo.path, 'mine.txt'), 'what nobody committed\n');
  const first = takeTurns(home, 'home');
  await first.turn('1.1', () => edit(home.repo.path, { path: 'a.txt', what: 1 }));
  await first.write();
  await writeRecords(home.fleet, 'home', ENTRIES.slice(0, 1));
  const away = await goOnElsewhere(home);
  const next = takeTurns(away, 'away');
  await next.turn('2.1', () => work(away));
  await next.write();
  await writeRecords(home.fleet, 'away', ENTRIES.slice(1));
  const come = async (): Promise<readonly string[] | null> => {
    const { fleet, parts } = home;
    const order = { fleet, paths, file: parts.file as unknown as RunFile, env: parts.env, confirm: async () => undefined };
    return catchUp(order, await readKeptState(fleet, 'run-1'), 1);
  };
  return { home, away, paths, come };
}

function commit({ repo }: Scene): void {
  edit(repo.path, { path: 'b.txt', what: 2 });
  edit(repo.path, { path: 'sub/c.txt', what: 'remove' });
  repo.git('add', '-A', 'a.txt', 'b.txt', 'sub');
  repo.git('commit', '-qm', 'its own');
  edit(repo.path, { path: 'f', what: 3 });
}

const log = ({ repo }: Scene): string => repo.git('log', '--format=%H %s');
const status = ({ repo }: Scene): string => repo.git('status', '--porcelain', '--', ':!.ralph');
const refs = ({ repo }: Scene, under: string): string => repo.git('for-each-ref', '--format=%(refname)', under);

describe('a run that comes home', () => {
  test('has what was committed elsewhere as those commits, and what was not is not', async () => {
    const { home, away, come } = await leave();
    expect(await come()).toEqual([]);
    expect([log(home), status(home), home.repo.git('symbolic-ref', 'HEAD')]).toEqual([log(away), status(away), 'refs/heads/main\n']);
    expect(status(home)).toBe('?? f\n?? mine.txt\n');
    expect(readAll(home.repo)).toEqual(readAll(away.repo));
    expect(await home.workspace.diff('2.1')).toContain('b.txt');
    expect(refs(home, 'refs/ralph-fleet')).toBe('');
  });

  test('leaves staged what a person has staged, and takes along what they staged of the same files', async () => {
    const { home, come } = await leave();
    home.repo.git('add', 'mine.txt', 'a.txt');
    expect(await come()).toEqual([]);
    expect(status(home)).toBe('A  mine.txt\n?? f\n');
  });

  test('comes twice without harm, also where it was cut off before the branch went on, or a person went on from there', async () => {
    const { home, away, come } = await leave();
    await come();
    home.repo.git('update-ref', 'HEAD', 'HEAD~1');
    expect([await come(), log(home), status(home)]).toEqual([[], log(away), status(away)]);
    home.repo.git('commit', '-qm', 'mine', '--allow-empty');
    expect([await come(), home.repo.git('log', '--format=%s')]).toEqual([[], 'mine\nits own\nfirst\n']);
  });

  test.each<readonly [string, string, (home: Scene) => void]>([
    ['somebody has committed', 'somebody has committed meanwhile', ({ repo }) => void repo.git('commit', '-qm', 'mine', '--allow-empty')],
    ['another branch is checked out', 'another branch is checked out', ({ repo }) => void repo.git('checkout', '-qb', 'other')],
    ['a merge is under way', 'merge', ({ repo }) => writeFileSync(join(repo.path, '.git/MERGE_HEAD'), repo.git('rev-parse', 'HEAD'))],
  ])('has them as changed files where %s, and says so', async (_where, why, meanwhile) => {
    const { home, away, come } = await leave();
    meanwhile(home);
    const before = log(home);
    const remarks = await come();
    expect(remarks).toHaveLength(1);
    expect(remarks?.[0]).toContain('committed elsewhere is here as changed files only');
    expect(remarks?.[0]).toContain(why);
    expect(log(home)).toBe(before);
    expect(readAll(home.repo)).toEqual(readAll(away.repo));
    expect(await home.workspace.diff('2.1')).toContain('b.txt');
  });

  test('has them as changed files where they went back behind what was there, or are on another branch', async () => {
    const amended = await leave(({ repo }) => void repo.git('commit', '-q', '--amend', '-m', 'made anew', '--allow-empty'));
    expect((await amended.come())?.[0]).toContain('do not build on');
    const elsewhere = await leave((away) => {
      away.repo.git('checkout', '-qb', 'other');
      commit(away);
    });
    expect((await elsewhere.come())?.[0]).toContain('another branch');
    expect([amended, elsewhere].map(({ home }) => home.repo.git('log', '--format=%s'))).toEqual(['first\n', 'first\n']);
  });

  test('brings no commit of what does not travel, and leaves it nowhere where others see it', async () => {
    const { home, come } = await leave(({ repo }) => {
      writeFileSync(join(repo.path, '.env'), 'TOKEN=1\n');
      repo.git('add', '-f', '.env');
      repo.git('commit', '-qm', 'oops');
      repo.git('rm', '-q', '.env');
      repo.git('commit', '-qm', 'gone again');
    });
    expect((await come())?.[0]).toContain('".env" does not travel');
    expect(home.repo.git('log', '--all', '--format=%s', '--', '.env')).toBe('');
  });

  test('does nothing at all where a person changed the same file', async () => {
    const { home, paths, come } = await leave();
    edit(home.repo.path, { path: 'b.txt', what: 6 });
    const before = [readAll(home.repo), log(home), refs(home, 'refs/ralph')];
    await expect(come()).rejects.toThrow('b.txt');
    expect([readAll(home.repo), log(home), refs(home, 'refs/ralph')]).toEqual(before);
    expect(existsSync(paths.journal)).toBe(false);
  });

  test('goes on from a commit that a checkpoint made behind the last turn', async () => {
    const { home, away, come } = await leave();
    const { checkpoint } = takeTurns(away, 'away');
    expect((await checkpoint(2)).commit).not.toBeNull();
    await writeRecords(home.fleet, 'away', away.records.splice(0));
    expect([await come(), log(home), status(home)]).toEqual([[], log(away), status(away)]);
    expect(home.repo.git('log', '--format=%s')).toMatch(/^ralph: checkpoint after iteration 2\n/);
  });
});

async function bring(run: Scene, kept: KeptState): Promise<readonly string[]> {
  return bringSnapshots(run.fleet.blobs, await open(run.repo), { runId: 'run-1', ...kept }, join(run.repo.path, '.git', 'scratch'));
}

async function tell({ workspace, repo }: Scene, turns: readonly string[]) {
  await workspace.settle();
  const each = await Promise.all(turns.map((turn) => workspace.diff(turn)));
  const trees = repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/ralph');
  return {
    each,
    trees,
    all: await workspace.diffRun(turns),
    files: await workspace.changedFiles(turns),
    stat: await workspace.statRun(turns),
  };
}

const ODD = 'ö "d\\d"\n\t.txt';
const TURNS = ['1.1', '2.1', '3.1', '4.1'];

/** A run whose first turn was taken at home, and three elsewhere, of which one committed, and one changed nothing. */
async function takeElsewhere() {
  const home = await setUp();
  writeFileSync(join(home.repo.path, 'mine.txt'), 'what nobody committed\n');
  const first = takeTurns(home, 'home');
  await first.turn('1.1', () => edit(home.repo.path, { path: 'a.txt', what: 1 }));
  await first.write();
  const away = await goOnElsewhere(home);
  const next = takeTurns(away, 'away');
  await next.turn('2.1', () => {
    edit(away.repo.path, { path: 'f', what: 2 });
    edit(away.repo.path, { path: 'sub/c.txt', what: 'remove' });
    writeFileSync(join(away.repo.path, ODD), 'odd\n');
  });
  await next.turn('3.1', () => {
    edit(away.repo.path, { path: 'b.txt', what: 'run' });
    away.repo.git('add', '-A', ':!.ralph');
    away.repo.git('commit', '-qm', 'its own');
  });
  edit(away.repo.path, { path: 'a.txt', what: 5 });
  await next.turn('4.1', () => undefined);
  await next.write();
  return { home, away, kept: await readKeptState(home.fleet, 'run-1') };
}

describe('what turns changed that were taken elsewhere', () => {
  test('is told at home as it is there, turn by turn and of all of them, and what somebody did between two turns is apart', async () => {
    const { home, away, kept } = await takeElsewhere();
    expect((await tell(home, TURNS)).files).toBeNull();
    expect(await bring(home, kept)).toEqual([]);
    expect(await bring(away, kept)).toEqual([]);
    const told = await tell(home, TURNS);
    expect(told).toEqual(await tell(away, TURNS));
    expect([told.files, told.stat?.isWhole]).toEqual([['a.txt', 'b.txt', 'f', 'sub/c.txt', ODD], true]);
    expect(told.each.map((patch) => (patch ?? '').match(/(?<=^diff --git a\/)\S+/gm))).toEqual([
      ['a.txt'],
      ['f', 'sub/c.txt'],
      ['b.txt'],
      null,
    ]);
    expect(told.trees.match(/refs/g)).toHaveLength(8);
    // Once more: all is there.
    expect(await bring(home, kept)).toEqual([]);
    expect(await tell(home, TURNS)).toEqual(told);
  });

  test('is what the fleet keeps, also where a process that had lost the run had noted something else', async () => {
    const { home, away, kept } = await takeElsewhere();
    await takeTurns(home, 'lost').turn('2.1', () => edit(home.repo.path, { path: 'a.txt', what: 7 }));
    await home.workspace.settle();
    const stale = home.repo.git('rev-parse', 'HEAD^{tree}').trim();
    appendFileSync(join(home.repo.path, '.git/ralph/run-1.names'), `update refs/ralph/run-1/3.1/after ${stale}\n`);
    await bring(home, kept);
    await bring(away, kept);
    expect(await tell(home, TURNS)).toEqual(await tell(away, TURNS));
  });

  test('is told of as many turns as can be had where something was forgotten or is not what it is said to be', async () => {
    const { home, kept } = await takeElsewhere();
    const first = kept.trees.find(({ steps }) => steps.length > 0)?.steps[0]?.body;
    const isStep = (body: unknown): boolean => JSON.stringify(body) === JSON.stringify(first);
    const trees = kept.trees.map((tree) => ({
      ...tree,
      steps: tree.steps.map((step) => (isStep(step.body) ? { ...step, body: { blob: 'gone' } } : step)),
    }));
    const snapshots = new Map([...kept.snapshots, ['9.1/after', 'f'.repeat(40)]]);
    const lacking = await bring(home, { ...kept, trees, snapshots });
    expect(lacking).toContain('9.1/after');
    const { each, trees: named } = await tell(home, TURNS);
    expect(named).not.toContain('9.1');
    expect(each[0]).not.toBeNull();
    expect(each[3]).not.toBeNull();
  });

  test('is not told where an older version kept the run', async () => {
    const { home, kept } = await takeElsewhere();
    const before = await tell(home, TURNS);
    expect(await bring(home, { ...kept, snapshots: new Map() })).toEqual([]);
    expect(await tell(home, TURNS)).toEqual(before);
  });
});
