/** What the morning is told of a night: what to look at first, what will be tried again, who stopped what. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { until } from './run-facts.ts';

interface Row {
  readonly task: number;
  readonly outcome: string;
  readonly flagged: readonly string[];
  readonly next: string;
  readonly runId: string;
}

const BODY = `
case "$prompt" in
  *"task tests"*) echo "// fewer" > cart.test.mjs ;;
  *"task hang"*) touch ../../../at-work; until [ -f ../../../go ]; do sleep 0.05; done ;;
esac
echo work > made.txt
echo LOOP_COMPLETE`;
const CONFIG = 'gates: [{ run: "ls | grep -q made" }]\n';

async function withQueue(use: (folder: string) => Promise<void>): Promise<void> {
  await withPlace(toFiles(CONFIG, BODY, { 'cart.test.mjs': '// tests\n' }), async (folder) => {
    makeRepository(folder);
    await use(folder);
  });
}

async function readDigest(folder: string): Promise<readonly Row[]> {
  return readJsonLines<Row>((await ralph(folder, ['queue', 'digest', '--format', 'json'])).stdout);
}

describe.concurrent('the digest of a night', () => {
  test('puts a task that changed tests before the other proven ones, says so, and offers a look at it first', async () => {
    await withQueue(async (folder) => {
      await ralph(folder, ['queue', 'add', 'task one', 'task tests']);
      const night = await ralph(folder, ['queue', 'run']);
      expect(night.code, night.stdout + night.stderr).toBe(0);
      const [first, second] = await readDigest(folder);
      expect(first).toMatchObject({ task: 2, outcome: 'proven', flagged: ['tests changed by the run: cart.test.mjs'] });
      expect(first?.next).toBe(`ralph review ${first?.runId}`);
      expect(second).toMatchObject({ task: 1, outcome: 'proven', flagged: [], next: `ralph land ${second?.runId}` });
      expect((await ralph(folder, ['queue', 'digest'])).stdout).toContain('tests changed by the run');
      expect((await ralph(folder, ['land', second?.runId ?? '', '--clean'])).code).toBe(0);
      expect((await readDigest(folder)).at(-1)).toMatchObject({ task: 1, outcome: 'landed', next: `ralph review ${second?.runId}` });
    });
  });

  test('and the list say that a task which could not begin will be tried again', async () => {
    await withQueue(async (folder) => {
      writeFileSync(join(folder, 'task.md'), 'task one');
      await ralph(folder, ['queue', 'add', '-P', 'task.md']);
      rmSync(join(folder, 'task.md'));
      expect((await ralph(folder, ['queue', 'run'])).code).toBe(1);
      const list = await ralph(folder, ['queue']);
      expect(list.stdout).toContain('needs you');
      expect(list.stderr).not.toContain('No task waits');
      expect(list.stderr).toContain('ralph queue run');
    });
  });

  test('tells of a night under way that it goes on, and of a run that the queue’s limit ended that no person did', async () => {
    await withQueue(async (folder) => {
      await ralph(folder, ['queue', 'add', 'task hang', 'task two']);
      const night = start(folder, ['queue', 'run', '--max-runtime', '6s']);
      await until('the first to be at work', () => existsSync(join(folder, 'at-work')));
      const digest = await ralph(folder, ['queue', 'digest']);
      expect(digest.stderr).toContain('1 task not begun');
      expect(digest.stderr).not.toContain('ralph queue run');
      expect((await night.done).code).toBe(2);
      const [runId = ''] = readdirSync(join(folder, '.ralph/runs'));
      const status = (await ralph(folder, ['status', runId])).stdout;
      expect(status).toContain('The run was stopped by the queue’s limit of 6.0 s');
      expect(status).not.toContain('A person');
      expect((await ralph(folder, ['queue', 'digest'])).stderr).toContain('1 task not begun; go on: ralph queue run');
    });
  });
});
