import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { findIsolation, readPidNamespace } from '../../src/process/index.ts';
import { toFiles } from './agent-script.ts';
import { findProcesses, withPlace } from './processes.ts';
import { plainEnvironment, RALPH, ralph, start } from './ralph.ts';
import { until } from './run-facts.ts';

const search = await findIsolation();
const found = search.ok ? search.value : null;

/** A process that shows by a file that grows that it is at work. */
const BEAT = 'sh -c \'trap "" TERM HUP; while :; do echo x >> beat; sleep 0.02; done\'';
const ESCAPES = [
  ['a session of its own without an environment', `env -i PATH="$PATH" setsid -f ${BEAT}`],
  ['the marker of another turn', `RALPH_TURN=other/1.1 setsid -f ${BEAT}`],
  [
    'a disowned child of a cleared shell',
    `( env -i PATH="$PATH" bash -c "setsid ${BEAT.replaceAll('"', '\\"')} >/dev/null 2>&1 </dev/null & disown" )`,
  ],
  ['a cleared environment in the background', `( env -i PATH="$PATH" setsid ${BEAT} >/dev/null 2>&1 </dev/null & )`],
] as const;

const WAIT_FOR_BEAT = 'while [ ! -s beat ]; do sleep 0.01; done';

async function countsOn(folder: string): Promise<boolean> {
  const before = readFileSync(join(folder, 'beat'), 'utf8').length;
  await delay(200);
  return readFileSync(join(folder, 'beat'), 'utf8').length > before;
}

describe.skipIf(found === null)('what an agent leaves, in a namespace of its own', () => {
  test.each(ESCAPES)('ends with its turn: %s', async (_, script) => {
    await withPlace(toFiles('', `${script}\n${WAIT_FOR_BEAT}\necho LOOP_COMPLETE`), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'x', '-q'])).code).toBe(0);
      expect(await countsOn(folder)).toBe(false);
      expect(findProcesses(folder)).toEqual([]);
    });
  });

  test.each([
    ['a time limit', 'event_loop: { timeout_seconds: 1, max_iterations: 1 }\n'],
    ['a silence', 'event_loop: { idle_timeout_seconds: 1, max_iterations: 1 }\n'],
  ])('ends with %s', async (_, config) => {
    await withPlace(toFiles(config, `${ESCAPES[0][1]}\n${WAIT_FOR_BEAT}\nsleep 60`), async (folder) => {
      await ralph(folder, ['run', '-p', 'x', '-q']);
      expect(await countsOn(folder)).toBe(false);
    });
  });

  test('ends with the command of a gate', async () => {
    const gate = `gates:\n  - run: ${JSON.stringify(`${ESCAPES[0][1]}; ${WAIT_FOR_BEAT}`)}\n`;
    await withPlace(toFiles(gate, 'echo LOOP_COMPLETE'), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'x', '-q'])).code).toBe(0);
      expect(await countsOn(folder)).toBe(false);
    });
  });

  test('is ended by `reap`, `resume` and `run` after Ralph was killed', async () => {
    const body = `[ -e beat ] && { echo LOOP_COMPLETE; exit; }\n${ESCAPES[0][1]}\n${WAIT_FOR_BEAT}\nsleep 60`;
    for (const command of [['reap'], ['resume', '-q'], ['run', '-p', 'y', '-q']]) {
      await withPlace(toFiles('', body), async (folder) => {
        const run = start(folder, ['run', '-p', 'x', '--no-tui']);
        await until('the turn', () => existsSync(join(folder, 'beat')));
        run.child.kill('SIGKILL');
        await run.done;
        expect(await countsOn(folder)).toBe(true);
        expect((await ralph(folder, command)).code).toBe(0);
        expect(await countsOn(folder)).toBe(false);
      });
    }
  });
});

describe.skipIf(found === null)('`ralph ps`', () => {
  test('shows a program in a namespace once', async () => {
    await withPlace(toFiles('', 'touch working; exec sleep 61'), async (folder) => {
      const run = start(folder, ['run', '-p', 'x', '--no-tui']);
      await until('the turn', () => existsSync(join(folder, 'working')));
      const rows = (await ralph(folder, ['ps', '--format', 'json'])).stdout.trim().split('\n');
      run.child.kill('SIGINT');
      await run.done;
      expect(rows.map((row) => JSON.parse(row))).toEqual([expect.objectContaining({ command: 'sleep 61', turn: '1.1' })]);
    });
  });
});

/**
 * In mounts of their own: how root gives a command to a normal user, who may not be let into the folder that this project lies in, and how to one for whom
 * there are no namespaces.
 */
const PROJECT = dirname(dirname(RALPH));
const OPEN_TO_ALL = '/mnt';
const AS_USER = `chown -R 1000:1000 . && mount --bind '${PROJECT}' ${OPEN_TO_ALL} &&
exec setpriv --reuid 1000 --regid 1000 --clear-groups env HOME="$PWD/.home" XDG_STATE_HOME="$PWD/.home" "$@"`;
const WITHOUT_UNSHARE = 'mount --bind /dev/null "$(command -v unshare)" && exec "$@"';

function inMounts(script: string, args: readonly string[]): readonly [string, readonly string[]] {
  const ralphAt = script === AS_USER ? join(OPEN_TO_ALL, relative(PROJECT, RALPH)) : RALPH;
  return ['unshare', ['--mount', '--', 'sh', '-c', script, 'sh', process.execPath, ralphAt, ...args]];
}

function withShell(folder: string, script: string, args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(...inMounts(script, args), { cwd: folder, env: plainEnvironment(), encoding: 'utf8', timeout: 60_000 });
}

describe.skipIf(found === null || process.getuid?.() !== 0)('a normal user', () => {
  test('has runs whose turns are isolated, go on after a kill, and leave nothing', async () => {
    const body = `
case "$(nth turns)" in
  1) ${ESCAPES[0][1]}; ${WAIT_FOR_BEAT}; sleep 60 ;;
  *) id -u > uid; readlink /proc/self/ns/pid > namespace; echo x >> .ralph/lock; emit task.done x; echo LOOP_COMPLETE ;;
esac`;
    const gates = 'gates: [{ run: "test -s uid" }]\n';
    await withPlace(toFiles(gates, body), async (folder) => {
      const run = spawn(...inMounts(AS_USER, ['run', '-p', 'x', '-q']), { cwd: folder, env: plainEnvironment() });
      await until('the turn', () => existsSync(join(folder, 'beat')));
      run.kill('SIGKILL');
      await once(run, 'close');
      expect(await countsOn(folder)).toBe(true);
      expect(withShell(folder, AS_USER, ['resume', '-q'])).toMatchObject({ status: 0, stderr: '' });
      expect(readFileSync(join(folder, 'uid'), 'utf8')).toBe('1000\n');
      expect(readFileSync(join(folder, 'namespace'), 'utf8').trim()).not.toBe(readPidNamespace());
      expect(await countsOn(folder)).toBe(false);
      expect(findProcesses(folder)).toEqual([]);
    });
  });
});

describe.skipIf(found === null || process.getuid?.() !== 0)('where a system gives no namespaces', () => {
  test('a run says so at its start and goes on', async () => {
    await withPlace(toFiles('', 'readlink /proc/self/ns/pid > seen; echo LOOP_COMPLETE'), async (folder) => {
      const { status, stdout, stderr } = withShell(folder, WITHOUT_UNSHARE, ['run', '-p', 'x', '--no-tui']);
      expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('Not isolated: unshare, mount or setpriv is not installed')]);
      expect(readFileSync(join(folder, 'seen'), 'utf8').trim()).toBe(readPidNamespace());
    });
  });

  test('`isolation: required` refuses the run before its first turn', async () => {
    await withPlace(toFiles('isolation: required\n', 'touch begun; echo LOOP_COMPLETE'), async (folder) => {
      const { status, stderr } = withShell(folder, WITHOUT_UNSHARE, ['run', '-p', 'x', '--no-tui']);
      expect([status, stderr]).toEqual([1, expect.stringContaining('`isolation: required`')]);
      expect(existsSync(join(folder, 'begun'))).toBe(false);
    });
  });
});

describe.skipIf(found === null)('what a run trusts', () => {
  test('cannot be changed from inside a turn or a gate: the journal, what people publish, the agents’ own `ralph`', async () => {
    const attack =
      'for f in .ralph/runs/*/*.jsonl .ralph/bin/ralph; do echo "{}" >> "$f"; rm -f "$f"; done; mv .ralph/runs .ralph/gone; mv .ralph gone; rm -f .ralph/lock';
    const gate = `gates:\n  - run: ${JSON.stringify(`${attack}; true`)}\n`;
    await withPlace(
      toFiles(gate, `{ ${attack}; } 2> refused\nralph emit task.done x > emitted 2>&1\necho LOOP_COMPLETE`),
      async (folder) => {
        expect((await ralph(folder, ['run', '-p', 'x', '-q'])).code).toBe(0);
        expect(readFileSync(join(folder, 'refused'), 'utf8')).toContain('Read-only file system');
        expect(existsSync(join(folder, '.ralph/bin/ralph'))).toBe(true);
        expect((await ralph(folder, ['events'])).code).toBe(0);
      },
    );
  });
});

describe('isolation: off', () => {
  test('is said at the start, and what then remains', async () => {
    await withPlace(toFiles('isolation: off\n', 'echo LOOP_COMPLETE'), async (folder) => {
      const { stdout, stderr, code } = await ralph(folder, ['run', '-p', 'x', '--no-tui']);
      expect(code).toBe(0);
      expect(stdout + stderr).toContain('Not isolated (isolation: off): a program that clears its environment');
    });
  });

  test('a process that forks on after Ralph was killed is gone before `resume` begins the next turn', async () => {
    const fork = 'fork.sh';
    const script = `#!/bin/sh\ntrap '' TERM HUP\necho x >> generations\nsleep 0.02\n[ "$(wc -l < generations)" -gt 400 ] || ./fork.sh &\nexit 0\n`;
    const body = '[ -e generations ] && { echo LOOP_COMPLETE; exit; }\nsetsid -f ./fork.sh\nsleep 60';
    await withPlace(toFiles('isolation: off\n', body, { [fork]: script }), async (folder) => {
      chmodSync(join(folder, fork), 0o755);
      const run = start(folder, ['run', '-p', 'x', '--no-tui']);
      await until('the turn', () => existsSync(join(folder, 'generations')));
      run.child.kill('SIGKILL');
      await run.done;
      expect((await ralph(folder, ['resume', '-q'])).code).toBe(0);
      const count = readFileSync(join(folder, 'generations'), 'utf8').length;
      await delay(200);
      expect(readFileSync(join(folder, 'generations'), 'utf8').length).toBe(count);
      expect(findProcesses(folder)).toEqual([]);
    });
  });

  test('what was left behind and does not end is named after ten seconds, and nothing begins beside it', async () => {
    await withPlace(
      toFiles('isolation: off\n', 'echo x >> turns; [ -e turn ] && { echo LOOP_COMPLETE; exit; }; touch turn; sleep 60'),
      async (folder) => {
        const run = start(folder, ['run', '-p', 'x', '--no-tui']);
        await until('the turn', () => existsSync(join(folder, 'turn')));
        const [agent] = (await ralph(folder, ['ps', '--format', 'json'])).stdout.split('\n');
        const { runId, turn } = JSON.parse(agent ?? '');
        run.child.kill('SIGKILL');
        await run.done;
        // A shell that the agent left, in which a person goes on: whoever started this command is never ended by it.
        const shell = spawn('sh', ['-c', 'echo $$ > shell; "$@"; exit $?', 'sh', process.execPath, RALPH, 'resume', '-q'], {
          cwd: folder,
          env: plainEnvironment({ RALPH_TURN: `${runId}/${turn}` }),
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        let said = '';
        shell.stderr.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
        const [code] = await once(shell, 'close');
        expect([code, said]).toEqual([1, expect.stringContaining(`ps -fp ${readFileSync(join(folder, 'shell'), 'utf8').trim()}`)]);
        expect(readFileSync(join(folder, 'turns'), 'utf8')).toBe('x\n');
        expect((await ralph(folder, ['resume', '-q'])).code).toBe(0);
      },
    );
  });

  test('of a gate lets its command see the machine', async () => {
    const gate = `gates:\n  - { run: "readlink /proc/self/ns/pid > seen", isolation: off }\n`;
    await withPlace(toFiles(gate, 'echo LOOP_COMPLETE'), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'x', '-q'])).code).toBe(0);
      expect(readFileSync(join(folder, 'seen'), 'utf8').trim()).toBe(
        execFileSync('readlink', ['/proc/self/ns/pid'], { encoding: 'utf8' }).trim(),
      );
    });
  });
});
