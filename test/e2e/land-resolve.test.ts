/** A conflict is given to a hat of the run: one turn in the worktree of the merge. What it says is not believed, and whatever it does wrong leaves everything as it was. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';
import { until } from './run-facts.ts';

const CONFIG = `
gates: [{ name: not-bad, run: "! grep -q bad tracked.txt || { echo it is bad; exit 3; }" }]
hats:
  builder:
    triggers: [task.start, task.resume]
    publishes: [build.done]
  critic:
    triggers: [build.done]
    publishes: [LOOP_COMPLETE]
    profile: critic
`;
/** What the agent does with a conflict is in a file beside the folder of the run. */
const BODY = `case "$prompt" in
  *'conflicts of a merge'*) . ../../../resolve.sh ;;
  *'the hat builder'*) echo theirs > tracked.txt; echo made > made.txt; emit build.done ok ;;
  *) echo LOOP_COMPLETE ;;
esac
echo said`;

interface Conflict {
  readonly folder: string;
  readonly runId: string;
  /** Lands with a hat that does this with the conflict. */
  readonly resolve: (script: string, ...args: readonly string[]) => ReturnType<typeof ralph>;
  readonly land: (...args: readonly string[]) => ReturnType<typeof ralph>;
  readonly runs: () => readonly string[];
}

const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

/** A repository in which a run and a person changed the same line, and the person has changes that are not committed. */
async function withConflict(use: (conflict: Conflict) => Promise<void>): Promise<void> {
  await withPlace(
    toFiles(CONFIG, BODY, { 'tracked.txt': 'old\n', 'other.txt': 'other\n', '.gitignore': 'resolve.sh\n*.log\n' }),
    async (folder) => {
      makeRepository(folder);
      const run = await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue', '--no-tui']);
      expect(run.code, run.stdout + run.stderr).toBe(0);
      writeFileSync(join(folder, 'tracked.txt'), 'mine\n');
      git(folder, 'commit', '-qam', 'mine');
      writeFileSync(join(folder, 'other.txt'), 'not committed\n');
      writeFileSync(join(folder, 'staged.txt'), 'staged\n');
      git(folder, 'add', 'staged.txt');
      const runs = (): readonly string[] => readdirSync(join(folder, '.ralph/runs')).sort();
      const [runId = ''] = runs();
      const land = (...args: readonly string[]) => ralph(folder, ['land', ...args]);
      const resolve: Conflict['resolve'] = (script, ...args) => {
        writeFileSync(join(folder, 'resolve.sh'), script);
        return land('--resolve', 'builder', ...args);
      };
      await use({ folder, runId, land, resolve, runs });
    },
  );
}

/** Everything that landing could change: branches, what is checked out, what is not committed, worktrees. */
function describeAll(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => !name.startsWith('.') && name !== 'resolve.sh');
  return [
    git(folder, 'for-each-ref', 'refs/heads'),
    git(folder, 'status', '--porcelain', '-uall'),
    git(folder, 'worktree', 'list'),
    readdirSync(join(folder, '.ralph/worktrees')).join(),
    ...files.sort().map((name) => `${name}: ${read(folder, name)}`),
  ];
}

describe.concurrent('ralph land --resolve', () => {
  test('lands what the hat made of the conflict, tells what else it changed, and leaves what is not committed alone', async () => {
    await withConflict(async ({ folder, runId, land, resolve, runs }) => {
      expect((await land()).stdout).toContain(`ralph land ${runId} --resolve HAT`);
      const landed = await resolve('cat tracked.txt > seen.log; echo both > tracked.txt; echo needed > needed.txt');
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
      for (const text of ['resolved  by builder', 'not in conflict: needed.txt', 'passed  not-bad', 'in a merge'])
        expect(landed.stdout).toContain(text);
      expect([read(folder, 'tracked.txt'), read(folder, 'made.txt'), read(folder, 'needed.txt')]).toEqual(['both\n', 'made\n', 'needed\n']);
      expect(git(folder, 'status', '--porcelain')).toBe(' M other.txt\nA  staged.txt');
      expect(git(folder, 'rev-list', '--count', '--merges', 'main')).toBe('1');
      const [, turn = ''] = runs();
      expect((await ralph(folder, ['show', turn, '--diff'])).stdout).toContain('+both');
      expect((await ralph(folder, ['review'])).stdout).toMatch(new RegExp(`Run ${runId}[^]*Landed +its branch was brought to main`));
      for (const command of ['land', 'resume', 'undo', 'pr']) {
        const refused = await ralph(folder, [command, turn]);
        expect([command, refused.code, refused.stderr]).toEqual([command, 1, expect.stringContaining(`for run ${runId}`)]);
      }
      const again = await land('--resolve', 'builder');
      expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('There was no conflict to resolve.')]);
      expect(runs()).toHaveLength(2);
      expect((await ralph(folder, ['clean', '--keep', '0'])).code).toBe(0);
      expect(git(folder, 'for-each-ref', `refs/ralph/${turn}`)).toBe('');
    });
  });

  test('lands as one commit, told to a program', async () => {
    await withConflict(async ({ folder, runs, resolve }) => {
      const landed = await resolve('echo both > tracked.txt', '--squash', '--format', 'json');
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
      expect(JSON.parse(landed.stdout)).toMatchObject({
        outcome: 'landed',
        how: 'squash',
        conflicts: [{ path: 'tracked.txt' }],
        resolution: { hat: 'builder', runId: runs()[1], outcome: 'resolved', why: [], others: [], costUsd: null },
      });
      expect(git(folder, 'log', '--format=%s', 'main').split('\n')).toEqual(['work', 'mine', expect.anything()]);
    });
  });

  test.each([
    ['leaves markers', 'true', 'tracked.txt still has conflict markers'],
    ['deletes the file', 'rm tracked.txt', 'tracked.txt was deleted, though both sides have it'],
    ['gives the merge up', 'git merge --abort', 'the merge was given up'],
    ['fails', 'echo both > tracked.txt; exit 7', '1 turn failed'],
    ['makes a gate red', 'echo bad > tracked.txt', 'it is bad'],
  ])('changes nothing where the hat %s', async (_, script, told) => {
    await withConflict(async ({ folder, resolve, runs }) => {
      const before = describeAll(folder);
      const refused = await resolve(script);
      expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining(told)]);
      expect(refused.stdout).toContain(`ralph show ${runs()[1]} --diff`);
      expect(describeAll(folder)).toEqual(before);
      expect((await resolve('echo both > tracked.txt')).code).toBe(0);
    });
  });

  test('names the hats of the run where there is none of that name, or it may not write, and starts nobody', async () => {
    await withConflict(async ({ folder, land, runs }) => {
      const before = describeAll(folder);
      const unknown = await land('--resolve', 'nobody');
      expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('builder, critic, ralph')]);
      const reader = await land('--resolve', 'critic');
      expect([reader.code, reader.stderr]).toEqual([2, expect.stringContaining('may not write files (its profile is critic)')]);
      expect([describeAll(folder), runs()]).toEqual([before, [expect.anything()]]);
    });
  });

  test('killed in the turn, leaves nothing that the next landing does not end and remove', async () => {
    await withConflict(async ({ folder, land, resolve }) => {
      const before = describeAll(folder);
      writeFileSync(join(folder, 'resolve.sh'), 'echo half > tracked.txt; (setsid sleep 300 &); touch ../../../hangs.log; sleep 300');
      const landing = start(folder, ['land', '--resolve', 'ralph']);
      await until('the hat to hang', () => existsSync(join(folder, 'hangs.log')));
      rmSync(join(folder, 'hangs.log'));
      landing.child.kill('SIGKILL');
      await landing.done;
      expect((await land()).stdout).toContain('--resolve HAT');
      expect([describeAll(folder), findProcesses(folder)]).toEqual([before, []]);
      const landed = await resolve('echo both > tracked.txt');
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
    });
  });

  test('killed while the branch was moved, goes on with the merge that the hat made, without another turn', async () => {
    await withConflict(async ({ folder, runId, land, resolve, runs }) => {
      expect((await resolve('echo both > tracked.txt')).code).toBe(0);
      const path = join(folder, '.ralph/runs', runId, 'land.json');
      const record = JSON.parse(readFileSync(path, 'utf8'));
      // The files have arrived, the branch has not.
      git(folder, 'update-ref', 'refs/heads/main', record.from);
      writeFileSync(path, JSON.stringify({ ...record, isDone: false }));
      const landed = await land();
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
      expect([git(folder, 'rev-parse', 'main'), landed.stdout]).toEqual([record.to, expect.stringContaining('passed  not-bad')]);
      expect([git(folder, 'status', '--porcelain'), runs().length]).toEqual([' M other.txt\nA  staged.txt', 2]);
    });
  });

  test('stopped with Ctrl+C, ends the turn and leaves everything as it was', async () => {
    await withConflict(async ({ folder }) => {
      const before = describeAll(folder);
      writeFileSync(join(folder, 'resolve.sh'), 'echo half > tracked.txt; touch ../../../hangs.log; sleep 300');
      const landing = start(folder, ['land', '--resolve', 'builder']);
      await until('the hat to hang', () => existsSync(join(folder, 'hangs.log')));
      rmSync(join(folder, 'hangs.log'));
      landing.child.kill('SIGINT');
      const { code, stdout } = await landing.done;
      expect([code, stdout]).toEqual([130, expect.stringContaining('the turn was stopped')]);
      expect([describeAll(folder), findProcesses(folder)]).toEqual([before, []]);
    });
  });
});
