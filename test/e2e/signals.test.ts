import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { findProcesses, withPlace } from './processes.ts';
import { plainEnvironment, RALPH, ralph, readJsonLines, type Started, start } from './ralph.ts';
import { readEvents, readStatus, toRoutes, until } from './run-facts.ts';

const RUN = ['run', '-p', 'work', '--no-tui'];

/** In the first turn `hang`; in every other the work is done. */
function hangsOnce(hang: string): Record<string, string> {
  return toFiles('', `if [ "$(nth turn)" = 1 ]; then ${hang}\nelse echo LOOP_COMPLETE; fi`);
}

const AGENTS = {
  'cleans up when it is asked to end': 'trap "echo clean > cleaned; exit 0" TERM; touch hangs; while :; do sleep 0.05; done',
  'will not end': 'trap "" TERM INT HUP; touch hangs; while :; do sleep 1; done',
  'has a grandchild in a session of its own': 'setsid sh -c \'trap "" TERM HUP; touch hangs; while :; do sleep 1; done\' & sleep 1000',
  'runs shell loops within shell loops':
    "(while :; do (while :; do sleep 0.2; done) & sleep 0.3; done) & touch hangs; while :; do sh -c 'sleep 0.1'; done",
};

async function hangs(folder: string): Promise<Started> {
  const run = start(folder, RUN);
  await until('the agent is at work', () => existsSync(join(folder, 'hangs')));
  return run;
}

/** The run goes on with the same hat and the same events, in a new iteration, and completes. */
async function expectResume(folder: string): Promise<void> {
  const { code, stdout, stderr } = await ralph(folder, ['resume', '--no-tui']);
  expect(code, stdout + stderr).toBe(0);
  const { turns, resumes } = await readStatus(folder);
  expect(turns.map((turn) => [turn.iteration, turn.status])).toEqual([
    [1, 'interrupted'],
    [2, 'succeeded'],
  ]);
  expect(resumes).toBe(1);
  expect(toRoutes(await readEvents(folder))).toEqual(['system -> task.start -> ralph', 'ralph -> task.complete -> terminal']);
}

describe.concurrent('Ctrl+C', () => {
  for (const [name, hang] of Object.entries(AGENTS)) {
    test(`ends an agent that ${name}, with all it started, and the run goes on later`, { timeout: 60_000 }, async () => {
      await withPlace(hangsOnce(hang), async (folder) => {
        const run = await hangs(folder);
        const at = Date.now();
        run.child.kill('SIGINT');
        const { code, stdout } = await run.done;
        expect(code, stdout).toBe(130);
        expect(Date.now() - at).toBeLessThan(14_000);
        expect(findProcesses(folder)).toEqual([]);
        expect(existsSync(join(folder, 'cleaned'))).toBe(hang.includes('cleaned'));
        expect((await readStatus(folder)).end).toMatchObject({ reason: 'interrupted', detail: 'stopped by Ctrl+C' });
        expect(stdout).toContain('ralph resume');
        await expectResume(folder);
      });
    });
  }

  test('twice ends even an agent that will not end, at once', async () => {
    await withPlace(hangsOnce(AGENTS['will not end']), async (folder) => {
      const run = await hangs(folder);
      run.child.kill('SIGINT');
      await run.says('Ctrl+C: stopping');
      const at = Date.now();
      run.child.kill('SIGINT');
      expect((await run.done).code).toBe(130);
      expect(Date.now() - at).toBeLessThan(3000);
      expect(findProcesses(folder)).toEqual([]);
      expect((await readStatus(folder)).end).toMatchObject({ reason: 'interrupted' });
      await expectResume(folder);
    });
  });
});

describe('Ctrl+C in a terminal', () => {
  for (const { words, keys, how } of [
    { words: '--no-tui', keys: ['\u0003'], how: 'reaches the run and not its agent, which is asked to end' },
    { words: '', keys: ['\u0003', '\u0003'], how: 'asks in a view, and means the same the second time' },
  ])
    test(how, async (context) => {
      if (spawnSync('script', ['--version']).status !== 0) context.skip('there is no `script` to make a terminal');
      await withPlace(hangsOnce(`trap 'echo no > interrupted' INT; ${AGENTS['cleans up when it is asked to end']}`), async (folder) => {
        const terminal = spawn('script', ['-qec', `'${process.execPath}' '${RALPH}' run -p work ${words}`, '/dev/null'], {
          cwd: folder,
          env: plainEnvironment({ TERM: 'xterm', CI: '', ACCESSIBLE: '' }),
        });
        let said = '';
        terminal.stdout.on('data', (text) => {
          said += String(text);
        });
        const ended = new Promise<number | null>((resolve) => terminal.once('close', resolve));
        await until('the agent to be at work', () => existsSync(join(folder, 'hangs')));
        for (const [index, key] of keys.entries()) {
          await until('the view to be there', () => words !== '' || said.includes(index === 0 ? 'RUNNING' : 'What now?'));
          terminal.stdin.write(key);
        }
        expect(await ended, said).toBe(130);
        expect([existsSync(join(folder, 'cleaned')), existsSync(join(folder, 'interrupted'))]).toEqual([true, false]);
        expect(findProcesses(folder)).toEqual([]);
        await expectResume(folder);
      });
    });
});

describe.concurrent('a run that is told to end', () => {
  for (const { signal, code, reason } of [
    { signal: 'SIGTERM', code: 143, reason: 'terminated' },
    { signal: 'SIGHUP', code: 129, reason: 'hangup' },
  ] as const) {
    test(`by ${signal} ends its agent gracefully, with ${code}`, async () => {
      await withPlace(hangsOnce(AGENTS['cleans up when it is asked to end']), async (folder) => {
        const run = await hangs(folder);
        run.child.kill(signal);
        expect((await run.done).code).toBe(code);
        expect(existsSync(join(folder, 'cleaned'))).toBe(true);
        expect((await readStatus(folder)).end).toMatchObject({ reason, detail: `stopped by ${signal}` });
        expect(findProcesses(folder)).toEqual([]);
        await expectResume(folder);
      });
    });
  }

  test('by a terminal that was closed ends its agent too', async () => {
    await withPlace(hangsOnce(AGENTS['cleans up when it is asked to end']), async (folder) => {
      const run = await hangs(folder);
      run.child.stdout?.destroy();
      run.child.stderr?.destroy();
      run.child.kill('SIGHUP');
      expect((await run.done).code).toBe(129);
      expect(findProcesses(folder)).toEqual([]);
      expect((await readStatus(folder)).end).toMatchObject({ reason: 'hangup' });
    });
  });

  test('by `ralph stop` in another terminal finishes its turn first', async () => {
    const files = toFiles(
      '',
      'if [ "$(nth turn)" = 1 ]; then touch hangs; while [ ! -f go ]; do sleep 0.05; done; touch finished; else echo LOOP_COMPLETE; fi',
    );
    await withPlace(files, async (folder) => {
      const run = await hangs(folder);
      const stop = start(folder, ['stop']);
      await stop.says('is asked to stop after its running turn');
      expect(existsSync(join(folder, 'finished'))).toBe(false);
      writeFileSync(join(folder, 'go'), '');
      expect((await stop.done).code).toBe(0);
      expect((await run.done).code).toBe(130);
      const { turns, end } = await readStatus(folder);
      expect(turns.map((turn) => turn.status)).toEqual(['succeeded']);
      expect(end).toMatchObject({
        reason: 'interrupted',
        detail: expect.stringMatching(/^stopped by ralph stop \(.+, process \d+, by token\)$/),
      });
      expect((await ralph(folder, ['resume'])).code).toBe(0);
      expect((await readStatus(folder)).turns).toHaveLength(2);
    });
  });

  test('by `ralph stop --now` ends its turn', async () => {
    await withPlace(hangsOnce(AGENTS['cleans up when it is asked to end']), async (folder) => {
      const run = await hangs(folder);
      const stop = await ralph(folder, ['stop', '--now']);
      expect(stop.code, stop.stderr).toBe(0);
      expect(stop.stdout).toContain('has stopped');
      expect((await run.done).code).toBe(130);
      expect(existsSync(join(folder, 'cleaned'))).toBe(true);
      const { totals } = await readStatus(folder);
      expect((await ralph(folder, ['runs'])).stdout).toContain(` ${totals.iterations} (and 1 interrupted) `);
      const [listed] = readJsonLines<object>((await ralph(folder, ['runs', '--format', 'json'])).stdout);
      expect(listed).toMatchObject({ iterations: totals.iterations, interrupted: 1 });
      await expectResume(folder);
    });
  });

  test('by `ralph stop` and then `ralph stop --now` ends its turn after all', async () => {
    await withPlace(hangsOnce(AGENTS['cleans up when it is asked to end']), async (folder) => {
      const run = await hangs(folder);
      const patient = start(folder, ['stop']);
      await patient.says('is asked to stop');
      expect((await ralph(folder, ['stop', '--now'])).code).toBe(0);
      expect((await patient.done).code).toBe(0);
      expect((await run.done).code).toBe(130);
      await expectResume(folder);
    });
  });

  test('by `ralph stop` while it is parked stays parked', async () => {
    const body = 'if [ "$(nth turn)" = 1 ]; then echo "You have hit your usage limit" >&2; exit 1; fi; echo LOOP_COMPLETE';
    await withPlace(toFiles('', body), async (folder) => {
      const run = start(folder, RUN);
      await run.says('parked');
      expect((await ralph(folder, ['stop'])).code).toBe(0);
      expect((await run.done).code).toBe(2);
      expect((await readStatus(folder)).end).toMatchObject({ reason: 'parked' });
      expect((await ralph(folder, ['resume'])).code).toBe(0);
    });
  });

  test('although none is under way says so', async () => {
    await withPlace(toFiles('', 'echo LOOP_COMPLETE'), async (folder) => {
      const { code, stderr } = await ralph(folder, ['stop']);
      expect(code).toBe(1);
      expect(stderr).toContain('No run is under way');
    });
  });
});

describe.concurrent('Ctrl+C while no agent is at work', () => {
  const WAITS = {
    'a gate': {
      config: 'gates: [{ run: "touch waits; if [ -f second ]; then exit 0; fi; touch second; sleep 1000" }]\n',
      body: 'nth turn; echo LOOP_COMPLETE',
      turns: ['succeeded'],
    },
    'a park until the usage limit resets': {
      config: '',
      body: 'if [ "$(nth turn)" = 1 ]; then echo "You have hit your usage limit" >&2; touch waits; exit 1; fi; echo LOOP_COMPLETE',
      turns: ['failed', 'succeeded'],
    },
    'a cooldown': {
      config: 'event_loop: { cooldown_delay_seconds: 300 }\n',
      body: 'if [ "$(nth turn)" = 1 ]; then touch waits; else echo LOOP_COMPLETE; fi',
      turns: ['succeeded', 'succeeded'],
    },
  } as const;

  for (const [name, { config, body, turns }] of Object.entries(WAITS)) {
    test(`but ${name}, ends the run at once, and it goes on later`, async () => {
      await withPlace(toFiles(config, body), async (folder) => {
        await interruptWait(folder, RUN);
        const resumed = await ralph(folder, ['resume']);
        expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
        expect((await readStatus(folder)).turns.map((turn) => turn.status)).toEqual(turns);
        expect(Number(readFileSync(join(folder, '.agent/count-turn'), 'utf8').length / 2)).toBe(turns.length);
      });
    });
  }

  test('but the pause before another attempt, ends the run at once; later the pause goes on', async () => {
    const config = 'event_loop: { retry: { base_seconds: 300, max_seconds: 300 } }\n';
    await withPlace(toFiles(config, 'echo "API Error: 529 overloaded" >&2; touch waits; exit 1'), async (folder) => {
      await interruptWait(folder, RUN);
      const run = start(folder, ['resume']);
      await run.says('The pause before the next attempt goes on');
      await until('the run to be alive', async () => (await readStatus(folder)).resumes === 1);
      expect((await readStatus(folder)).waiting).toMatchObject({ purpose: 'retry' });
      run.child.kill('SIGINT');
      expect((await run.done).code).toBe(130);
      expect((await readStatus(folder)).turns).toHaveLength(1);
    });
  });
});

/** Interrupts a run while it waits for something else than an agent. */
async function interruptWait(folder: string, args: readonly string[]): Promise<void> {
  const run = start(folder, args);
  await until(
    'the wait to begin',
    async () => existsSync(join(folder, 'waits')) && (await readStatus(folder)).turns.at(-1)?.status !== 'running',
  );
  const at = Date.now();
  run.child.kill('SIGINT');
  const { code, stdout } = await run.done;
  expect(code, stdout).toBe(130);
  expect(Date.now() - at).toBeLessThan(5000);
  expect(findProcesses(folder)).toEqual([]);
  expect((await readStatus(folder)).end).toMatchObject({ reason: 'interrupted' });
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a command that reads ends with %s, and git that it has started ends with it',
  async (signal) => {
    await withPlace(toFiles('', 'echo LOOP_COMPLETE'), async (folder) => {
      execFileSync('git', ['init', '--quiet'], { cwd: folder });
      expect((await ralph(folder, RUN)).code).toBe(0);
      rmSync(join(folder, '.git/HEAD'));
      execFileSync('mkfifo', [join(folder, '.git/HEAD')]);
      const { child, done } = start(folder, ['undo']);
      await until('git waits', () => findProcesses(folder).some(({ command }) => command.startsWith('git ')));
      child.kill(signal);
      expect(await done).toMatchObject({ code: null, signal, stdout: '', stderr: '' });
      await until('git has ended', () => findProcesses(folder).length === 0);
    });
  },
);
