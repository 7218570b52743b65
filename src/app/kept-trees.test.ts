import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type KeptState, readKeptState } from './kept-run.ts';
import { bringSnapshots } from './kept-trees.ts';
import { goOnElsewhere, type Scene, takeTurns } from './kept-trees-fixtures.ts';
import { edit, open, removeFolders, setUp } from './place-tree-fixtures.ts';

afterAll(removeFolders);

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
