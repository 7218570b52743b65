import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { makeRepository } from './git.ts';
import { findProcesses, isThere, withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { until } from './run-facts.ts';

interface Row {
  readonly task: number;
  readonly outcome: string;
  readonly reason: string | null;
  readonly evidence: string;
  readonly branch: string | null;
  readonly runId: string | null;
  readonly iterations: number;
  readonly asked: string;
  readonly next: string;
}

interface Listed {
  readonly runId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly objective: string;
}

/** What a task asks of the agent stands in its words: `hang` until `go` is there, `fail`, else it is done at once. What it did is noted outside of the worktree. */
function toWork(folderVariable = '$QUEUE_TEST'): string {
  return `
case "$prompt" in
  *"task hang"*) touch "${folderVariable}/at-work-$RALPH_RUN_ID"; until [ -f "${folderVariable}/go" ]; do sleep 0.05; done ;;
  *"task fail"*) exit 3 ;;
esac
echo "$RALPH_RUN_ID" >> "${folderVariable}/worked"
echo work > made.txt
echo LOOP_COMPLETE`;
}

const CONFIG =
  'event_loop: { max_consecutive_failures: 2, cooldown_delay_seconds: 0 }\ngates: [{ on: [LOOP_COMPLETE], run: "ls | grep -q made" }]\n';

/** A repository in which the agent works, and what tests do with its queue. */
function withQueue(
  use: (place: { readonly folder: string; readonly env: { readonly QUEUE_TEST: string } }) => Promise<void>,
  config = CONFIG,
): Promise<void> {
  return withPlace({ 'notes/x': '' }, (notes) =>
    withPlace(toFiles(config, toWork()), async (folder) => {
      makeRepository(folder);
      await use({ folder, env: { QUEUE_TEST: notes } });
    }),
  );
}

async function readRows(folder: string, what: 'list' | 'digest' = 'list'): Promise<readonly Row[]> {
  const { stdout, stderr, code } = await ralph(folder, ['queue', what, '--format', 'json']);
  expect(code, stderr).toBe(0);
  return readJsonLines<Row>(stdout);
}

async function readRuns(folder: string): Promise<readonly Listed[]> {
  return readJsonLines<Listed>((await ralph(folder, ['runs', '--format', 'json'])).stdout).toReversed();
}

describe.concurrent('a night of tasks', () => {
  test('works them off in order, each in a worktree of its own with its own limits; one that fails ends nothing', async () => {
    await withQueue(async ({ folder, env }) => {
      await ralph(folder, ['queue', 'add', 'task one']);
      await ralph(folder, ['queue', 'add', 'task fail', '--max-iterations', '1']);
      await ralph(folder, ['queue', 'add', 'task three']);
      const night = await ralph(folder, ['queue', 'run'], env);
      expect(night.code, night.stdout + night.stderr).toBe(2);
      const runs = await readRuns(folder);
      expect(runs.map(({ objective, reason }) => [objective, reason])).toEqual([
        ['task one', 'completed'],
        ['task fail', 'max_iterations'],
        ['task three', 'completed'],
      ]);
      const digest = await readRows(folder, 'digest');
      expect(digest.map(({ task, outcome, iterations }) => [task, outcome, iterations])).toEqual([
        [2, 'needs you', 1],
        [1, 'proven', 1],
        [3, 'proven', 1],
      ]);
      expect(digest[0]?.next).toBe(`ralph resume ${runs[1]?.runId} --max-iterations +10`);
      expect(digest[1]?.next).toBe(`ralph land ${runs[0]?.runId}`);
      expect(new Set(digest.map(({ branch }) => branch)).size).toBe(3);
      expect(existsSync(join(folder, 'made.txt'))).toBe(false);
      expect(night.stdout).toMatch(/3 tasks: 1 needs you, 2 proven\./);
      expect((await ralph(folder, ['land', runs[0]?.runId ?? ''])).code).toBe(0);
      expect((await readRows(folder, 'digest')).map(({ task, outcome }) => [task, outcome])).toEqual([
        [2, 'needs you'],
        [3, 'proven'],
        [1, 'landed'],
      ]);
      // What is over is not done again.
      const again = await ralph(folder, ['queue', 'run'], env);
      expect([again.code, (await readRuns(folder)).length]).toEqual([0, 3]);
      // A night in which nothing was open is none.
      expect((await readRows(folder, 'digest')).length).toBe(3);
      expect((await ralph(folder, ['queue', 'clear'])).stdout).toContain('3 tasks taken out');
      expect(await readRows(folder)).toEqual([]);
    });
  });

  test('of two at once is at work on two at once, and begins the third when one is done', async () => {
    await withQueue(async ({ folder, env }) => {
      await ralph(folder, ['queue', 'add', 'task hang 1', 'task hang 2', 'task three']);
      const night = start(folder, ['queue', 'run', '--parallel', '2', '--format', 'ndjson'], env);
      await until('both to be at work', () => listAtWork(env.QUEUE_TEST).length === 2);
      expect((await readRows(folder)).map(({ outcome }) => outcome)).toEqual(['at work', 'at work', 'waits']);
      writeFileSync(join(env.QUEUE_TEST, 'go'), '');
      const { code, stdout, stderr } = await night.done;
      expect(code, stdout + stderr).toBe(0);
      const records = readJsonLines<{ readonly kind: string; readonly type?: string; readonly task?: number }>(stdout);
      expect(records.filter(({ kind }) => kind === 'run').map(({ task }) => task)).toEqual([1, 2, 3]);
      expect(records.every(({ kind, type, task }) => task !== undefined || (kind === 'queue' && type === 'night-ended'))).toBe(true);
      expect(records.at(-1)).toMatchObject({ kind: 'queue', type: 'night-ended', exitCode: 0, tasks: [1, 2, 3] });
    });
  });

  test('that Ctrl+C ends keeps what it did not begin, and goes on with what was under way', async () => {
    await withQueue(async ({ folder, env }) => {
      await ralph(folder, ['queue', 'add', 'task one', 'task hang', 'task three']);
      const night = start(folder, ['queue', 'run'], env);
      await until('the second to be at work', () => listAtWork(env.QUEUE_TEST).length === 1);
      night.child.kill('SIGINT');
      expect((await night.done).code).toBe(130);
      expect(findProcesses(folder)).toEqual([]);
      expect((await readRows(folder)).map(({ outcome }) => outcome)).toEqual(['proven', 'cut off', 'waits']);
      writeFileSync(join(env.QUEUE_TEST, 'go'), '');
      const next = await ralph(folder, ['queue', 'run'], env);
      expect(next.code, next.stdout + next.stderr).toBe(0);
      expect((await readRuns(folder)).map(({ objective, reason }) => [objective, reason])).toEqual([
        ['task one', 'completed'],
        ['task hang', 'completed'],
        ['task three', 'completed'],
      ]);
      expect((await readRows(folder, 'digest')).map(({ task }) => task)).toEqual([2, 3]);
    });
  });

  test('takes what is added while it runs; a second night at once is refused by name, and an agent may change nothing', async () => {
    const config = 'event_loop: { cooldown_delay_seconds: 0 }\n';
    const body = `ralph queue add "from an agent" > "$QUEUE_TEST/said" 2>&1\necho "$?" >> "$QUEUE_TEST/said"\n${toWork()}`;
    await withPlace({ 'notes/x': '' }, (notes) =>
      withPlace(toFiles(config, body), async (folder) => {
        makeRepository(folder);
        const env = { QUEUE_TEST: notes };
        await ralph(folder, ['queue', 'add', 'task hang']);
        const night = start(folder, ['queue', 'run'], env);
        await until('the first to be at work', () => listAtWork(notes).length === 1);
        const rival = await ralph(folder, ['queue', 'run']);
        expect([rival.code, rival.stderr.includes(`process ${night.child.pid}`)]).toEqual([1, true]);
        expect((await ralph(folder, ['queue', 'remove', '1'])).stderr).toContain('is at work');
        expect((await ralph(folder, ['queue', 'add', 'task two'])).code).toBe(0);
        writeFileSync(join(notes, 'go'), '');
        const { code, stdout, stderr } = await night.done;
        expect(code, stdout + stderr).toBe(0);
        expect((await readRows(folder)).map(({ asked, outcome }) => [asked, outcome])).toEqual([
          ['task hang', 'unproven'],
          ['task two', 'unproven'],
        ]);
        expect(readFileSync(join(notes, 'said'), 'utf8')).toMatch(/Only a person may do this(.|\n)*\n1\n$/);
      }),
    );
  });

  test('without git works in the folder, one task after another; several at once are refused', async () => {
    await withPlace(toFiles('', 'nth turn >> made.txt; echo LOOP_COMPLETE'), async (folder) => {
      await ralph(folder, ['queue', 'add', 'task one', 'task two']);
      const refused = await ralph(folder, ['queue', 'run', '--parallel', '2']);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('in no git repository')]);
      const { code, stdout, stderr } = await ralph(folder, ['queue', 'run']);
      expect(code, stdout + stderr).toBe(0);
      expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('1\n2\n');
    });
  });

  test('gives an agent a hostile task as it was typed, and shows a person nothing that moves the cursor', async () => {
    const task = `task one\u001b[2J\u0007\n"$(touch owned)" ; touch owned\n${'x'.repeat(100_000)}\nend of it`;
    const body = 'printf "%s" "$prompt" > "$QUEUE_TEST/prompt"; echo done > made.txt; echo LOOP_COMPLETE';
    await withPlace({ 'notes/x': '' }, (notes) =>
      withPlace(toFiles('', body), async (folder) => {
        makeRepository(folder);
        const added = await start(folder, ['queue', 'add', '-P', '-'], {}, task).done;
        expect(added.code, added.stderr).toBe(0);
        const night = await ralph(folder, ['queue', 'run', '--verbose'], { QUEUE_TEST: notes });
        expect(night.code, night.stdout.slice(0, 3000) + night.stderr.slice(0, 3000)).toBe(0);
        const listed = await ralph(folder, ['queue', 'list']);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
        for (const { stdout, stderr } of [added, night, listed]) expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
        expect((await readRuns(folder))[0]?.objective).toBe(task);
        expect(existsSync(join(folder, 'owned'))).toBe(false);
      }),
    );
  });

  test('loses none of the tasks that are added at the same moment', async () => {
    await withPlace({}, async (folder) => {
      const names = ['one', 'two', 'three', 'four', 'five', 'six'];
      const added = await Promise.all(names.map((name) => ralph(folder, ['queue', 'add', `task ${name}`])));
      expect(added.map(({ code }) => code)).toEqual(names.map(() => 0));
      const rows = await readRows(folder);
      expect(rows.map(({ task }) => task)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(rows.map(({ asked }) => asked).toSorted()).toEqual(names.map((name) => `task ${name}`).toSorted());
    });
  });

  test('says in the evening what could not begin, and a task that cannot begin at night stays and ends nothing', async () => {
    await withQueue(async ({ folder, env }) => {
      const wrong = await ralph(folder, ['queue', 'add', 'task one', '--max-cost', 'much']);
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('much')]);
      expect((await ralph(folder, ['queue', 'add', 'Make', 'it', 'work'])).stderr).toContain('3 tasks of one word each');
      expect((await ralph(folder, ['queue', 'add', '-P', 'missing.md'])).code).toBe(2);
      expect(await readRows(folder)).toEqual([]);
      writeFileSync(join(folder, 'first.md'), 'task one\n');
      await ralph(folder, ['queue', 'add', '-P', 'first.md']);
      await ralph(folder, ['queue', 'add', 'task two']);
      writeFileSync(join(folder, 'first.md'), '');
      const night = await ralph(folder, ['queue', 'run'], env);
      expect(night.code, night.stdout + night.stderr).toBe(1);
      expect((await readRows(folder)).map(({ outcome, next }) => [outcome, next.startsWith('ralph queue run')])).toEqual([
        ['needs you', true],
        ['proven', false],
      ]);
      writeFileSync(join(folder, 'first.md'), 'task one, mended\n');
      expect((await ralph(folder, ['queue', 'run'], env)).code).toBe(0);
      expect((await readRuns(folder)).map(({ objective }) => objective.trim())).toEqual(['task two', 'task one, mended']);
    });
  });

  test.each([
    ['no JSON', (path: string): void => writeFileSync(path, '{"version":1,"tasks":[')],
    ['a link that leads elsewhere', (path: string): void => symlinkSync('../agent.sh', path)],
    ['a pipe', (path: string): void => void execFileSync('mkfifo', [path])],
  ])('whose file is %s is not read, not waited for, and not written over', async (_, put) => {
    await withPlace(toFiles('', 'echo LOOP_COMPLETE'), async (folder) => {
      mkdirSync(join(folder, '.ralph'));
      const path = join(folder, '.ralph/queue.json');
      put(path);
      for (const args of [['list'], ['add', 'task one'], ['run'], ['clear', '--all']]) {
        const { code, stderr } = await ralph(folder, ['queue', ...args]);
        expect([args, code, stderr.includes('queue.json')]).toEqual([args, 1, true]);
        expect(stderr).not.toContain('defect');
      }
      expect(readFileSync(join(folder, 'agent.sh'), 'utf8')).toContain('LOOP_COMPLETE');
      rmSync(path);
    });
  });

  test('goes on without its terminal, where that is wanted, and is ended by the number that it names', async () => {
    await withQueue(async ({ folder, env }) => {
      expect((await ralph(folder, ['queue', 'run', '--detach'], env)).stderr).toContain('No task is open');
      await ralph(folder, ['queue', 'add', 'task one', 'task hang', 'task three']);
      const { code, stdout, stderr } = await ralph(folder, ['queue', 'run', '--detach'], env);
      expect(code, stdout + stderr).toBe(0);
      const pid = Number(/process (\d+)/.exec(stdout)?.[1]);
      await until('the second to be at work', () => listAtWork(env.QUEUE_TEST).length === 1);
      process.kill(pid, 'SIGHUP');
      expect((await ralph(folder, ['queue'])).stderr).toContain(`process ${pid}`);
      process.kill(pid, 'SIGINT');
      await until('it to end', () => !isThere(pid));
      expect((await readRows(folder)).map(({ outcome }) => outcome)).toEqual(['proven', 'cut off', 'waits']);
      expect(readFileSync(/tail -f (.*)/.exec(stdout)?.[1] ?? '', 'utf8')).toContain('The queue was stopped.');
    });
  });

  test('begins nothing more after a failure, where that is wanted; a single run that is stopped does not end it', async () => {
    await withQueue(async ({ folder, env }) => {
      await ralph(folder, ['queue', 'add', 'task fail', 'task hang', 'task three']);
      const first = await ralph(folder, ['queue', 'run', '--stop-on-failure'], env);
      expect([first.code, (await readRows(folder)).map(({ outcome }) => outcome)]).toEqual([1, ['needs you', 'waits', 'waits']]);
      const night = start(folder, ['queue', 'run'], env);
      await until('the second to be at work', () => listAtWork(env.QUEUE_TEST).length === 1);
      const [, second] = await readRuns(folder);
      expect((await ralph(folder, ['stop', '--now', second?.runId ?? ''])).code).toBe(0);
      expect((await night.done).code).toBe(130);
      expect((await readRows(folder)).map(({ outcome }) => outcome)).toEqual(['needs you', 'cut off', 'proven']);
    });
  });
});

/** The runs whose agents hang. */
function listAtWork(notes: string): readonly string[] {
  return readdirSync(notes).filter((name) => name.startsWith('at-work-'));
}
