import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { plainEnvironment, RALPH, ralph, withFolder } from './ralph.ts';

const TEAM = 'cli: {backend: {command: sh}}\nhats:\n  worker:\n    triggers: [task.start, task.resume]\n';
const SAYS = { code: 0, stdout: 'ralph.yml: valid (hats: worker)\n', stderr: '' };

/** Root can write nothing there either. */
const UNWRITABLE = '/proc/none';
const RUN = {
  'ralph.yml': 'isolation: off\ncli:\n  backend: custom\n  command: ./agent.sh\n',
  'agent.sh': '#!/bin/sh\necho LOOP_COMPLETE\n',
};

function listCaches(folder: string): readonly string[] {
  const caches = join(folder, 'cache', 'ralph', 'code');
  return existsSync(caches) ? readdirSync(caches).map((name) => join(caches, name)) : [];
}

test('validate keeps its compiled code in the cache of the user, readable by nobody else, and says the same with and without it', async () => {
  await withFolder({ 'ralph.yml': TEAM }, async (folder) => {
    const env = { XDG_CACHE_HOME: join(folder, 'cache') };
    expect(await ralph(folder, ['validate'], env)).toMatchObject(SAYS);
    const [cache = ''] = listCaches(folder);
    const { mtimeMs, mode } = statSync(cache);
    expect(mode & 0o777).toBe(0o600);
    expect(await ralph(folder, ['validate'], env)).toMatchObject(SAYS);
    expect(listCaches(folder)).toEqual([cache]);
    expect(statSync(cache).mtimeMs).toBe(mtimeMs);
  });
});

test('a cache of another build, a torn one and one that others may write are not run, but made anew', async () => {
  await withFolder({ 'ralph.yml': TEAM }, async (folder) => {
    const env = { XDG_CACHE_HOME: join(folder, 'cache') };
    await ralph(folder, ['validate'], env);
    const [cache = ''] = listCaches(folder);
    const whole = readFileSync(cache);
    const zeroed = Buffer.from(whole).fill(0, whole.length - 4096);
    for (const wrong of [Buffer.from('0.0.0 other\nxxxx'), whole.subarray(0, 5000), Buffer.alloc(0), zeroed]) {
      writeFileSync(cache, wrong);
      expect(await ralph(folder, ['validate'], env)).toMatchObject(SAYS);
      expect(statSync(cache).size).toBeGreaterThan(50_000);
    }
    chmodSync(cache, 0o666);
    expect(await ralph(folder, ['validate'], env)).toMatchObject(SAYS);
    expect(statSync(cache).mode & 0o777).toBe(0o600);
  });
});

test('each command that runs keeps code of its own, a word that is no command none', async () => {
  await withFolder(RUN, async (folder) => {
    chmodSync(join(folder, 'agent.sh'), 0o755);
    const env = { XDG_CACHE_HOME: join(folder, 'cache') };
    const says = { code: 0, stdout: expect.stringContaining('Completed, unproven after 1 iteration') };
    expect(await ralph(folder, ['-p', 'x', '--no-tui'], env)).toMatchObject(says);
    const [cache = ''] = listCaches(folder);
    expect(basename(cache)).toBe(`run-${process.version}.bin`);
    const { mtimeMs } = statSync(cache);
    expect(await ralph(folder, ['run', '-p', 'x', '--no-tui'], env)).toMatchObject(says);
    expect(statSync(cache).mtimeMs).toBe(mtimeMs);
    expect(await ralph(folder, ['events'], env)).toMatchObject({ code: 0 });
    expect(await ralph(folder, ['nonsense'], env)).toMatchObject({ code: 2 });
    expect(await ralph(folder, ['../nonsense'], env)).toMatchObject({ code: 2 });
    expect(listCaches(folder).map((path) => basename(path))).toEqual([`events-${process.version}.bin`, `run-${process.version}.bin`]);
  });
});

test('every command prints its help where its code cannot be kept', async () => {
  await withFolder({}, async (folder) => {
    const { stdout: help } = await ralph(folder, ['help', 'all']);
    const names = [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(25);
    for (const name of names) {
      const answer = await ralph(folder, [name, '--help'], { XDG_CACHE_HOME: UNWRITABLE });
      expect({ name, ...answer }).toMatchObject({ code: 0, stdout: expect.stringContaining(`Usage: ralph ${name}`), stderr: '' });
    }
  });
});

test.each([
  ['in a new cache', 'cache', ''],
  ['in a cache of the home folder', '', 'home'],
  ['where nothing can be written', UNWRITABLE, ''],
  ['without a cache', '', ''],
])('the version, a completion and a run are the same %s', async (_, cache, home) => {
  await withFolder(RUN, async (folder) => {
    chmodSync(join(folder, 'agent.sh'), 0o755);
    const env = { XDG_CACHE_HOME: cache && resolve(folder, cache), HOME: home && join(folder, home) };
    expect(await ralph(folder, ['--version'], env)).toMatchObject({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
    expect(await ralph(folder, ['completions', 'bash'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('complete -'),
      stderr: '',
    });
    expect(await ralph(folder, ['-p', 'x', '--no-tui'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Completed, unproven after 1 iteration'),
    });
  });
});

test('without a place for a cache everything works', async () => {
  await withFolder({ 'ralph.yml': TEAM, file: '' }, async (folder) => {
    expect(await ralph(folder, ['validate'], { XDG_CACHE_HOME: join(folder, 'file') })).toMatchObject(SAYS);
    expect(await ralph(folder, ['validate'], { XDG_CACHE_HOME: '', HOME: '' })).toMatchObject(SAYS);
    expect(await ralph(folder, ['validate'], { XDG_CACHE_HOME: 'relative' })).toMatchObject(SAYS);
    expect(existsSync(join(folder, 'relative'))).toBe(false);
    expect(await ralph(folder, ['explain', 'event-orphan'], { XDG_CACHE_HOME: join(folder, 'file') })).toMatchObject({ code: 0 });
  });
});

test('a package that lacks a part says so without a stack, and how to mend it', async () => {
  await withFolder({ 'package.json': '{ "type": "module" }' }, async (folder) => {
    cpSync(join(RALPH, '..'), join(folder, 'bin'), { recursive: true });
    cpSync(join(RALPH, '../../dist/cli.cjs'), join(folder, 'dist/cli.cjs'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin/ralph.js'), 'status'], {
      env: plainEnvironment(),
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^ralph: the installation is incomplete \(\S+command\.cjs cannot be read\)\. Install Ralph again.*\n$/);
  });
});

test('a command that waits for what never comes has not succeeded', async () => {
  await withFolder({ 'dist/cli.cjs': 'exports.main = () => new Promise(() => undefined);\n' }, async (folder) => {
    cpSync(join(RALPH, '..'), join(folder, 'bin'), { recursive: true });
    expect(spawnSync(process.execPath, [join(folder, 'bin/ralph.js')], { env: plainEnvironment() }).status).toBe(13);
  });
});
