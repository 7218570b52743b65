import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { makeRepository } from './git.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { until } from './run-facts.ts';

/** A `claude` whose turns cost a quarter; the second of a task completes it, unless it is told to hang; it takes its time while there is a file `slow`. */
const CLAUDE = `#!/bin/sh
case "$1" in --version) echo '9.9.9 (Claude Code)'; exit 0 ;; esac
for prompt; do :; done
echo x >> .agent/turns
case "$prompt" in *"task hang"*) touch "$QUEUE_TEST/hangs"; until [ -f "$QUEUE_TEST/go" ]; do sleep 0.05; done ;; esac
if [ "$(grep -c x .agent/turns)" -ge 2 ]; then said=LOOP_COMPLETE; [ ! -f "$QUEUE_TEST/slow" ] || sleep 20; else said=more; fi
echo '{"type":"system","subtype":"init","session_id":"s1","model":"claude-sonnet-4-5"}'
printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]},"session_id":"s1"}\\n' "$said"
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"s1","total_cost_usd":0.25,"usage":{"input_tokens":100,"output_tokens":20}}\\n' "$said"
`;

type Environment = { readonly PATH: string; readonly QUEUE_TEST: string };

function withClaude(use: (folder: string, env: Environment) => Promise<void>): Promise<void> {
  return withPlace({ 'notes/x': '' }, (notes) =>
    withPlace({ 'ralph.yml': 'cli: { backend: claude }\nevent_loop: { cooldown_delay_seconds: 0 }\n' }, async (folder) => {
      makeRepository(folder);
      mkdirSync(join(notes, 'bin'));
      writeFileSync(join(notes, 'bin/claude'), CLAUDE);
      chmodSync(join(notes, 'bin/claude'), 0o755);
      await use(folder, { PATH: `${join(notes, 'bin')}:${process.env['PATH']}`, QUEUE_TEST: notes });
    }),
  );
}

interface Row {
  readonly task: number;
  readonly outcome: string;
  readonly costUsd: number | null;
}

async function readRows(folder: string): Promise<readonly (readonly [outcome: string, costUsd: number | null])[]> {
  const { stdout } = await ralph(folder, ['queue', 'list', '--format', 'json']);
  return readJsonLines<Row>(stdout).map(({ outcome, costUsd }) => [outcome, costUsd]);
}

describe.concurrent('the limits of a night', () => {
  test('of cost count all its tasks: no turn begins after it, a completion in the last turn counts, and the next night goes on', async () => {
    await withClaude(async (folder, env) => {
      await ralph(folder, ['queue', 'add', 'task one', 'task two', 'task three']);
      const first = await ralph(folder, ['queue', 'run', '--max-cost', '0.5'], env);
      expect([first.code, await readRows(folder)]).toEqual([
        2,
        [
          ['unproven', 0.5],
          ['waits', null],
          ['waits', null],
        ],
      ]);
      expect(first.stdout).toContain('the queue’s limit of $0.50 is reached');
      // The turn that is ordered while the limit is reached is ended at once; one of a few milliseconds can outrun that.
      writeFileSync(join(env.QUEUE_TEST, 'slow'), '');
      const second = await ralph(folder, ['queue', 'run', '--max-cost', '0.2'], env);
      rmSync(join(env.QUEUE_TEST, 'slow'));
      expect([second.code, await readRows(folder)]).toEqual([
        2,
        [
          ['unproven', 0.5],
          ['cut off', 0.25],
          ['waits', null],
        ],
      ]);
      const third = await ralph(folder, ['queue', 'run', '--max-cost', '0.8'], env);
      expect([third.code, await readRows(folder)]).toEqual([
        0,
        [
          ['unproven', 0.5],
          ['unproven', 0.5],
          ['unproven', 0.5],
        ],
      ]);
    });
  });

  test('of cost count what a night spent before it was killed', async () => {
    await withClaude(async (folder, env) => {
      await ralph(folder, ['queue', 'add', 'task one', 'task hang']);
      const night = start(folder, ['queue', 'run'], env);
      await until('the second to be at work', () => existsSync(join(env.QUEUE_TEST, 'hangs')));
      night.child.kill('SIGKILL');
      await night.done;
      writeFileSync(join(env.QUEUE_TEST, 'go'), '');
      const spent = await ralph(folder, ['queue', 'run', '--max-cost', '0.5'], env);
      expect([spent.code, await readRows(folder)]).toEqual([
        2,
        [
          ['unproven', 0.5],
          ['cut off', null],
        ],
      ]);
      // That night ended, so this is another one.
      const next = await ralph(folder, ['queue', 'run', '--max-cost', '1'], env);
      expect([next.code, (await readRows(folder)).map(([outcome]) => outcome)]).toEqual([0, ['unproven', 'unproven']]);
    });
  });

  test('of time end the running turns', async () => {
    await withClaude(async (folder, env) => {
      await ralph(folder, ['queue', 'add', 'task hang', 'task two']);
      const night = await ralph(folder, ['queue', 'run', '--max-runtime', '3'], env);
      expect([night.code, (await readRows(folder)).map(([outcome]) => outcome)]).toEqual([2, ['cut off', 'waits']]);
      expect(findProcesses(folder)).toEqual([]);
    });
  });
});

test('Ctrl+C twice ends at once what does not heed the first one', async () => {
  const body = 'trap \'\' TERM INT; touch "$QUEUE_TEST/hangs-$RALPH_RUN_ID"; while :; do sleep 0.1; done';
  await withPlace({ 'notes/x': '' }, (notes) =>
    withPlace(toFiles('', body), async (folder) => {
      makeRepository(folder);
      await ralph(folder, ['queue', 'add', 'task one', 'task two', 'task three']);
      const night = start(folder, ['queue', 'run', '--parallel', '2'], { QUEUE_TEST: notes });
      await until('both to be at work', () => findProcesses(folder).filter(({ command }) => command.includes('agent.sh')).length >= 2);
      night.child.kill('SIGINT');
      await night.says('no further task begins');
      const askedAt = Date.now();
      night.child.kill('SIGINT');
      expect((await night.done).code).toBe(130);
      expect(Date.now() - askedAt).toBeLessThan(8000);
      expect(findProcesses(folder)).toEqual([]);
      expect((await readRows(folder)).map(([outcome]) => outcome)).toEqual(['cut off', 'cut off', 'waits']);
    }),
  );
});
