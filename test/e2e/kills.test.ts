import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLANNER_AND_BUILDER, toFiles } from './agent-script.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { readEvents, readStatus, toRoutes, until } from './run-facts.ts';

const RUN = ['run', '-p', 'work', '--no-tui'];

/**
 * Whoever calls it holds a lock with all that it starts, as long as one of them lives; who finds it held writes `overlap`. Pids would say nothing: each turn
 * has its own.
 */
const ALONE = 'alone() { exec 9>> alone; flock -n 9 || touch overlap; }';

/** The first turn of the builder leaves a trace, ignores SIGTERM and starts a grandchild in a session of its own; later ones look whether these are gone. */
const HEAVY_BUILDER = `${ALONE}
case "$RALPH_HAT" in
  planner) if [ "$(nth plan)" = 1 ]; then emit build.task tower; else echo LOOP_COMPLETE; fi ;;
  builder)
    alone
    if [ "$(nth build)" = 1 ]; then
      emit build.done half
      setsid sh -c 'trap "" TERM HUP; touch hangs; while :; do sleep 1; done' &
      trap '' TERM
      while :; do sleep 1; done
    fi
    emit build.done whole ;;
esac`;

interface LeftProcess {
  readonly pid: number;
  readonly runId: string;
  readonly turn: string;
  readonly isRunAlive: boolean;
}

async function readLeft(folder: string): Promise<LeftProcess[]> {
  return readJsonLines<LeftProcess>((await ralph(folder, ['ps', '--format', 'json'])).stdout);
}

/** Starts a run and kills it, as the machine would, once the file is there. */
async function killOnce(folder: string, trace: string, args: readonly string[] = RUN): Promise<void> {
  const run = start(folder, args);
  await until(`${trace} to be there`, () => existsSync(join(folder, trace)));
  run.child.kill('SIGKILL');
  await run.done;
}

async function expectHeavyEnd(folder: string): Promise<void> {
  expect(existsSync(join(folder, 'overlap'))).toBe(false);
  expect(findProcesses(folder)).toEqual([]);
  expect(toRoutes(await readEvents(folder))).toEqual([
    'system -> task.start -> planner',
    'planner -> build.task -> builder',
    'builder -> build.done -> withdrawn',
    'builder -> build.done -> planner',
    'planner -> task.complete -> terminal',
  ]);
  const { turns } = await readStatus(folder);
  expect(turns.map(({ iteration, hat, status }) => `${iteration} ${hat} ${status}`)).toEqual([
    '1 planner succeeded',
    '2 builder interrupted',
    '3 builder succeeded',
    '4 planner succeeded',
  ]);
}

describe.concurrent('after kill -9', () => {
  test('`ralph ps` shows what was left behind, `ralph reap` ends it, and the run goes on', async () => {
    await withPlace(toFiles(PLANNER_AND_BUILDER, HEAVY_BUILDER), async (folder) => {
      const run = start(folder, RUN);
      await until('the builder to hang', () => existsSync(join(folder, 'hangs')));
      const atWork = await readLeft(folder);
      expect(new Set(atWork.map((entry) => [entry.turn, entry.isRunAlive].join(' ')))).toEqual(new Set(['2.1 true']));
      expect((await ralph(folder, ['reap'])).stdout).toBe('');
      run.child.kill('SIGKILL');
      await run.done;
      const { runId } = await readStatus(folder);
      const left = await readLeft(folder);
      expect(left.length).toBeGreaterThanOrEqual(2);
      expect(left.every((entry) => entry.runId === runId && entry.turn === '2.1' && !entry.isRunAlive)).toBe(true);
      expect((await ralph(folder, ['ps'])).stdout).toContain('left behind');
      const reap = await ralph(folder, ['reap']);
      expect(reap.code).toBe(0);
      expect(reap.stdout).toContain(`run ${runId}, turn 2.1`);
      expect(findProcesses(folder)).toEqual([]);
      expect(await readLeft(folder)).toEqual([]);
      expect((await ralph(folder, ['resume'])).code).toBe(0);
      await expectHeavyEnd(folder);
    });
  });

  test('`ralph resume` ends what was left behind before the hat runs again, with what it had written withdrawn', async () => {
    await withPlace(toFiles(PLANNER_AND_BUILDER, HEAVY_BUILDER), async (folder) => {
      await killOnce(folder, 'hangs');
      const { code, stdout } = await ralph(folder, ['resume', '--no-tui']);
      expect(code, stdout).toBe(0);
      await expectHeavyEnd(folder);
      const { stdout: prompt } = await ralph(folder, ['show', '3', '--prompt']);
      expect(prompt).toContain('build.done');
      expect(prompt).toContain('tower');
    });
  });

  test('`ralph run --continue` does the same', async () => {
    await withPlace(toFiles(PLANNER_AND_BUILDER, HEAVY_BUILDER), async (folder) => {
      await killOnce(folder, 'hangs');
      const { code, stderr } = await ralph(folder, ['run', '--continue', '-q']);
      expect(code, stderr).toBe(0);
      await expectHeavyEnd(folder);
    });
  });

  test('another run in the folder first ends what the dead one left', async () => {
    const body = `${ALONE}
alone
if [ "$(nth turn)" = 1 ]; then trap "" TERM; touch hangs; while :; do sleep 1; done; fi
echo LOOP_COMPLETE`;
    await withPlace(toFiles('', body), async (folder) => {
      await killOnce(folder, 'hangs');
      const dead = (await readStatus(folder)).runId;
      const { code, stdout, stderr } = await ralph(folder, RUN);
      expect(code, stdout + stderr).toBe(0);
      expect(existsSync(join(folder, 'overlap'))).toBe(false);
      expect(findProcesses(folder)).toEqual([]);
      const { stdout: runs } = await ralph(folder, ['runs']);
      expect(runs).toMatch(new RegExp(`${dead} .*dead`));
      const resumed = await ralph(folder, ['resume', dead]);
      expect(resumed.code, resumed.stderr).toBe(0);
    });
  });

  test('during a gate, the gate is run again and what was left of it is ended; the agent is not run again', async () => {
    const gate = `${ALONE}; alone; echo x >> gate-runs; if [ "$(grep -c x gate-runs)" = 1 ]; then touch hangs; sleep 1000; fi`;
    await withPlace(toFiles(`gates: [{ run: '${gate}' }]\n`, 'nth turn; echo LOOP_COMPLETE'), async (folder) => {
      await killOnce(folder, 'hangs');
      const { code, stdout } = await ralph(folder, ['resume', '--no-tui']);
      expect(code, stdout).toBe(0);
      expect(readFileSync(join(folder, 'gate-runs'), 'utf8')).toBe('x\nx\n');
      expect(readFileSync(join(folder, '.agent/count-turn'), 'utf8')).toBe('x\n');
      expect(existsSync(join(folder, 'overlap'))).toBe(false);
      expect(findProcesses(folder)).toEqual([]);
      const { turns } = await readStatus(folder);
      expect(turns.map((turn) => turn.status)).toEqual(['succeeded']);
      expect(turns[0]?.gates.map((entry) => entry.passed)).toEqual([true]);
    });
  });

  test('in a turn that had ticked boxes in the prompt file, `ralph resume` goes on', async () => {
    const body = `if [ "$(nth turn)" = 1 ]; then sed -i 's/- \\[ \\] one/- [x] one/' PROMPT.md; touch hangs; sleep 1000; fi; echo LOOP_COMPLETE`;
    await withPlace(toFiles('', body, { 'PROMPT.md': '- [ ] one\n- [ ] two\n' }), async (folder) => {
      await killOnce(folder, 'hangs', ['run', '--no-tui']);
      const { code, stdout, stderr } = await ralph(folder, ['resume', '--no-tui']);
      expect(code, stdout + stderr).toBe(0);
      expect((await readStatus(folder)).turns.map((turn) => turn.status)).toEqual(['interrupted', 'succeeded']);
    });
  });

  test('while parked, `ralph resume` tries the same turn at once', async () => {
    const body = 'if [ "$(nth turn)" = 1 ]; then echo "You have hit your usage limit" >&2; exit 1; fi; echo LOOP_COMPLETE';
    await withPlace(toFiles('', body), async (folder) => {
      const run = start(folder, RUN);
      await until(
        'the run to park',
        async () => existsSync(join(folder, '.agent/count-turn')) && (await readStatus(folder)).status === 'parked',
      );
      run.child.kill('SIGKILL');
      await run.done;
      const { code, stdout } = await ralph(folder, ['resume', '--no-tui']);
      expect(code, stdout).toBe(0);
      const { turns, totals } = await readStatus(folder);
      expect(turns.map(({ iteration, attempt, status }) => [iteration, attempt, status])).toEqual([
        [1, 1, 'failed'],
        [1, 2, 'succeeded'],
      ]);
      expect(totals.iterations).toBe(1);
    });
  });

  test('`ralph status` and `ralph runs` say that nobody is at work, and what to type', async () => {
    await withPlace(toFiles('', 'touch hangs; sleep 1000'), async (folder) => {
      await killOnce(folder, 'hangs');
      const { stdout } = await ralph(folder, ['status']);
      expect(stdout).toContain('ralph resume');
      expect((await readStatus(folder)).isAlive).toBe(false);
      expect((await ralph(folder, ['runs'])).stdout).toContain('dead');
      await ralph(folder, ['reap']);
      expect(findProcesses(folder)).toEqual([]);
    });
  });
});

describe.concurrent('after kill -9', () => {
  test('of a run that had not begun yet, the one before is still the last one', async () => {
    await withPlace(toFiles('', 'echo LOOP_COMPLETE'), async (folder) => {
      expect((await ralph(folder, [...RUN, '-q'])).code).toBe(0);
      mkdirSync(join(folder, '.ralph/runs/20991231-235959-aaaaa/turns'), { recursive: true });
      for (const command of ['status', 'show', 'events']) {
        const { code, stdout, stderr } = await ralph(folder, [command]);
        expect([code, stderr], command).toEqual([0, '']);
        expect(stdout, command).toContain('omplete');
      }
      expect((await ralph(folder, ['runs'])).stdout).toMatch(/20991231-235959-aaaaa .* never began /);
      for (const command of ['resume', 'status', 'events']) {
        const named = await ralph(folder, [command, '20991231']);
        expect([named.code, named.stderr], command).toEqual([1, expect.stringMatching(/never began[\s\S]*Fix: Start it again: ralph run/)]);
      }
    });
  });

  test('of a run that was about to stop, it goes on nevertheless', async () => {
    const body = 'if [ "$(nth turn)" = 1 ]; then trap "" TERM; touch hangs; while :; do sleep 1; done; fi; echo LOOP_COMPLETE';
    await withPlace(toFiles('', body), async (folder) => {
      const run = start(folder, RUN);
      await until('the agent to hang', () => existsSync(join(folder, 'hangs')));
      run.child.kill('SIGINT');
      await run.says('Ctrl+C: stopping');
      run.child.kill('SIGKILL');
      await run.done;
      const { code, stdout } = await ralph(folder, ['resume']);
      expect(code, stdout).toBe(0);
      expect(findProcesses(folder)).toEqual([]);
    });
  });
});

describe.concurrent('a second run', () => {
  test('in the same folder is refused and named the first; two resumes at once are, too', async () => {
    await withPlace(toFiles('', 'touch hangs; while [ ! -f go ]; do sleep 0.05; done; echo LOOP_COMPLETE'), async (folder) => {
      const first = start(folder, RUN);
      await until('the first to be at work', () => existsSync(join(folder, 'hangs')));
      const { runId } = await readStatus(folder);
      for (const args of [RUN, ['resume'], ['resume', runId]]) {
        const { code, stdout, stderr } = await ralph(folder, args);
        expect(code).toBe(1);
        expect(stderr).toContain(`Run ${runId} (process ${first.child.pid}`);
        expect(stderr).toContain('--worktree');
        expect(stdout).toBe('');
      }
      expect((await ralph(folder, ['runs', '--format', 'json'])).stdout.trim().split('\n')).toHaveLength(1);
      writeFileSync(join(folder, 'go'), '');
      expect((await first.done).code).toBe(0);
    });
  });

  test('by an agent in its turn is refused, unless it is meant', async () => {
    const inner = 'cli: { command: ./inner.sh }\n';
    const body = `
"$RALPH_BIN" run -p inner > refused.txt 2>&1; echo "exit $?" >> refused.txt
mkdir -p sub && cp inner.yml sub/ralph.yml && cp inner.sh sub/ && (cd sub && ralph run -p inner --nested -q > ../nested.txt 2>&1; echo "exit $?" >> ../nested.txt)
echo LOOP_COMPLETE`;
    await withPlace(toFiles('', body, { 'inner.yml': inner, 'inner.sh': '#!/bin/sh\necho LOOP_COMPLETE\n' }), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      const refused = readFileSync(join(folder, 'refused.txt'), 'utf8');
      expect(refused).toContain('--nested');
      expect(refused).toContain('exit 2');
      const nested = readFileSync(join(folder, 'nested.txt'), 'utf8');
      expect(nested).toContain('Completed, unproven after 1 iteration');
      expect(nested).toContain('exit 0');
    });
  });
});
