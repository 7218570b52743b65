import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findIsolation } from '../../src/process/index.ts';
import { toFiles } from './agent-script.ts';
import { findProcesses, withPlace } from './processes.ts';
import { plainEnvironment, RALPH } from './ralph.ts';
import { until } from './run-facts.ts';

/** As a container: the same files, processes of its own that all end with the first. */
const search = await findIsolation();
const found = search.ok ? search.value : null;
const [UNSHARE = '', ...WORDS] = found?.enter ?? [];
const BODY = 'if [ -e go ]; then echo LOOP_COMPLETE; else touch working; sleep 600; fi';

interface Container {
  readonly first: ChildProcess;
  readonly end: () => Promise<void>;
}

/** A container in which a shell runs, `ralph` in it. */
async function startContainer(folder: string, args: readonly string[], after = ''): Promise<Container> {
  const script = `"$@"; ${after}`;
  const first = spawn(UNSHARE, [...WORDS, 'sh', '-c', script, 'sh', process.execPath, RALPH, ...args], {
    cwd: folder,
    env: plainEnvironment(),
    stdio: 'ignore',
  });
  const over = new Promise<void>((resolve) => first.once('close', () => resolve()));
  await until('the turn', () => existsSync(join(folder, 'working')));
  const end = (): Promise<void> => {
    first.kill('SIGKILL');
    return over;
  };
  return { first, end };
}

/** Another container over the same folder, perhaps of another name. */
function inContainer(folder: string, args: readonly string[], host = '') {
  const program = [process.execPath, RALPH, ...args];
  const named = host === '' ? program : ['unshare', '--uts', 'sh', '-c', `hostname ${host} && exec "$@"`, 'sh', ...program];
  const { status, stdout, stderr } = spawnSync(UNSHARE, [...WORDS, ...named], {
    cwd: folder,
    env: plainEnvironment({ RALPH_TOKEN: '' }),
    encoding: 'utf8',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  return { status, stdout, stderr };
}

function isAlive(folder: string): unknown {
  return (JSON.parse(inContainer(folder, ['status', '--format', 'json']).stdout) as { isAlive: unknown }).isAlive;
}

describe.skipIf(found === null)('a run in a container', () => {
  test.each<[string, string]>([
    ['of the same name', ''],
    ...(process.getuid?.() === 0 ? ([['of another name', 'other-host']] satisfies [string, string][]) : []),
  ])('that ended goes on in the next one %s', async (_, host) => {
    await withPlace(toFiles('', BODY), async (folder) => {
      const container = await startContainer(folder, ['run', '-p', 'x', '--no-tui', '-q']);
      const held = expect.stringContaining('in another container or process namespace');
      expect(isAlive(folder)).toBe(true);
      for (const args of [['run', '-p', 'y'], ['resume']])
        expect(inContainer(folder, args, host)).toMatchObject({ status: 1, stderr: held });
      await container.end();
      expect(isAlive(folder)).toBe(false);
      expect(inContainer(folder, ['status'], host).stdout).toContain('its process is gone');
      expect(inContainer(folder, ['stop'], host)).toMatchObject({ status: 1, stderr: expect.stringContaining('No run is under way') });
      writeFileSync(join(folder, 'go'), '');
      expect(inContainer(folder, ['resume', '--no-tui', '-q'], host)).toMatchObject({ status: 0 });
      expect(existsSync(join(folder, '.ralph/lock'))).toBe(false);
      const [run = ''] = readdirSync(join(folder, '.ralph/runs'));
      expect(readdirSync(join(folder, '.ralph/runs', run)).filter((name) => name.startsWith('alive'))).toEqual([]);
    });
  });

  test('whose folder gets a new run after it ended', async () => {
    await withPlace(toFiles('', BODY), async (folder) => {
      const container = await startContainer(folder, ['run', '-p', 'x', '--no-tui', '-q']);
      await container.end();
      writeFileSync(join(folder, 'go'), '');
      expect(inContainer(folder, ['run', '-p', 'y', '--no-tui', '-q'])).toMatchObject({ status: 0 });
    });
  });

  test.each(['auto', 'off'])(
    'that was killed alone is not taken over from elsewhere while its agent works there (isolation: %s)',
    async (isolation) => {
      await withPlace(toFiles(`isolation: '${isolation}'\n`, BODY), async (folder) => {
        const container = await startContainer(folder, ['run', '-p', 'x', '--no-tui', '-q'], 'touch killed; sleep 600');
        const own = findProcesses(folder).find(({ command }) => command.includes(`${RALPH} run`) && !command.includes('sh -c'));
        process.kill(own?.pid ?? 0, 'SIGKILL');
        await until('the kill', () => existsSync(join(folder, 'killed')));
        const { status, stderr } = inContainer(folder, ['resume']);
        expect([status, stderr]).toEqual([1, expect.stringContaining('in another container or process namespace')]);
        await container.end();
        writeFileSync(join(folder, 'go'), '');
        expect(inContainer(folder, ['resume', '--no-tui', '-q'])).toMatchObject({ status: 0 });
      });
    },
  );

  test('of which nothing can be seen is left alone, with the words that free it', async () => {
    await withPlace(toFiles('', BODY), async (folder) => {
      const container = await startContainer(folder, ['run', '-p', 'x', '--no-tui', '-q']);
      await container.end();
      // As on another machine: its pipe tells nothing here.
      const [run = ''] = readdirSync(join(folder, '.ralph/runs'));
      for (const lock of ['.ralph/lock', `.ralph/runs/${run}/lock`]) {
        const path = join(folder, lock);
        const owner = JSON.parse(readFileSync(path, 'utf8')) as object;
        writeFileSync(path, JSON.stringify({ ...owner, processStart: 'another-boot:1' }));
      }
      const { status, stderr } = inContainer(folder, ['resume']);
      expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be seen from here')]);
      expect(inContainer(folder, ['status']).stdout).toContain(`Run ${run} may be running: its process cannot be seen from here`);
      const [, words = ''] = /It is gone: +(rm .*)/.exec(stderr) ?? [];
      expect(spawnSync('sh', ['-c', words], { cwd: folder }).status).toBe(0);
      writeFileSync(join(folder, 'go'), '');
      expect(inContainer(folder, ['resume', '--no-tui', '-q'])).toMatchObject({ status: 0 });
    });
  });
});
