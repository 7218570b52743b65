import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { repeat } from './run-facts.ts';

/** 4 nights here; as many as wanted by `RALPH_QUEUE_NIGHTS=50 npx vitest run --project e2e test/e2e/queue-kills.test.ts`. */
const NIGHTS = Number(process.env['RALPH_QUEUE_NIGHTS'] ?? 4);
const TASKS = ['task one', 'task two', 'task three', 'task four'];
const KILLS = 6;

/** Each task takes two turns, so that a kill also comes between them. */
const FILES = toFiles(
  'event_loop: { cooldown_delay_seconds: 0 }\n',
  'sleep 0.1; n=$(nth turn); echo "$n" > made.txt; [ "$n" -lt 2 ] || echo LOOP_COMPLETE',
);

interface Listed {
  readonly runId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly objective: string;
  readonly worktree: string | null;
}

/** Works the queue off, killing it at random moments. */
async function workOff(folder: string, args: readonly string[]): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const night = start(folder, args);
    const timer = setTimeout(() => night.child.kill('SIGKILL'), 60 + Math.random() * 1500);
    const { code } = await night.done;
    clearTimeout(timer);
    if (code === 0) return;
  }
  const { code, stdout, stderr } = await ralph(folder, args);
  expect(code, stdout + stderr).toBe(0);
}

test('a queue whose nights are killed at any moment loses no task and does none twice', async () => {
  await repeat(NIGHTS, 2, async (turn) => {
    await withPlace(FILES, async (folder) => {
      const isInGit = turn % 3 !== 0;
      if (isInGit) makeRepository(folder);
      await ralph(folder, ['queue', 'add', ...TASKS]);
      await workOff(folder, ['queue', 'run', '-q', ...(isInGit && turn % 2 === 0 ? ['--parallel', '2'] : [])]);
      const runs = readJsonLines<Listed>((await ralph(folder, ['runs', '--format', 'json'])).stdout).toReversed();
      const begun = runs.filter(({ status }) => status !== 'never_began');
      expect(begun.map(({ objective }) => objective).toSorted()).toEqual(TASKS.toSorted());
      expect(begun.map(({ reason }) => reason)).toEqual(TASKS.map(() => 'completed'));
      const rows = readJsonLines<{ readonly task: number; readonly outcome: string; readonly runId: string }>(
        (await ralph(folder, ['queue', 'digest', '--format', 'json'])).stdout,
      );
      expect(rows.map(({ task, outcome }) => [task, outcome])).toEqual(TASKS.map((_, index) => [index + 1, 'unproven']));
      expect(findProcesses(folder)).toEqual([]);
      // What was made for a run that never began is away again.
      expect(runs.length).toBe(TASKS.length);
      if (isInGit) expect(git(folder, 'worktree', 'list').split('\n').length).toBe(TASKS.length + 1);
      expect(existsSync(join(folder, '.ralph/queue-run.lock'))).toBe(false);
    });
  });
}, 300_000);
