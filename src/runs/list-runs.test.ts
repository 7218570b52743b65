import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeOwnedFolder } from '../process/owned-folders.ts';
import { removeTree } from '../process/remove-tree.ts';
import { removeRuns } from './clean-runs.ts';
import { toLayout } from './layout.ts';
import { noteProject, summariseAllRuns, summariseRuns } from './list-runs.ts';
import { captureTrustedPrograms } from './unconfirmed-programs.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-list-'));
});
afterEach(() => removeTree(cwd));

const OLD = '20261121-101010-abcde';
const NEW = '20261122-101010-abcde';
const LONG_AGO = new Date('2026-11-22T10:10:10Z');

/** The folder of a run as its killed process left it. */
function leave(runId: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = join(cwd, '.ralph/runs', runId);
  mkdirSync(join(folder, 'turns'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it('what a killed trial of the sandbox left goes with a clean-up, and that of a living one stays', async () => {
  leave(NEW, { 'journal.jsonl': 'scribble\n' });
  const dead = makeOwnedFolder(join(cwd, '.ralph'), '.ralph-view-').replace(`-${process.pid}-`, `-${spawnSync('true').pid}-`);
  const living = makeOwnedFolder(cwd, '.ralph-view-');
  mkdirSync(dead);
  await removeRuns(cwd, { keep: 1, dryRun: true }, {});
  expect(existsSync(dead)).toBe(true);
  await removeRuns(cwd, { keep: 1, dryRun: false }, {});
  expect([existsSync(dead), existsSync(living)]).toEqual([false, true]);
});

it('a folder whose runs cannot be read hides none of the others, and is told of', () => {
  const env = { XDG_STATE_HOME: join(cwd, 'state') };
  leave(NEW, { 'journal.jsonl': 'scribble\n' });
  const broken = join(cwd, 'broken');
  mkdirSync(join(broken, '.ralph'), { recursive: true });
  writeFileSync(join(broken, '.ralph/runs'), 'x');
  for (const root of [cwd, broken]) noteProject(toLayout(root, '.ralph'), env);
  const unread: string[] = [];
  const runs = summariseAllRuns(env, (root, error) => unread.push(`${root}: ${String(error)}`));
  expect(runs.map(({ runId, root }) => [runId, root])).toEqual([[NEW, cwd]]);
  expect(unread).toEqual([expect.stringMatching(/\/broken: .*runs/)]);
});

/** Nests folders deeper than a path may be long, as an agent does it: step by step. With files beside and below them whose names are no UTF-8. */
function nest(folder: string): void {
  const script = `
    const { mkdirSync, writeFileSync } = require('node:fs');
    const [name, long] = [Buffer.of(0x61, 0xff), 'd'.repeat(200)];
    writeFileSync(name, 'x');
    for (let depth = 0; depth < 40; depth += 1) { mkdirSync(long); process.chdir(long); }
    writeFileSync(name, 'x');`;
  execFileSync(process.execPath, ['-e', script], { cwd: folder });
}

describe('a run whose folder an agent could write into', () => {
  it('is removed however deep folders are nested in it and whatever names files have', async () => {
    const folders = [leave(OLD, { 'journal.jsonl': 'scribble\n' }), leave(NEW, { 'journal.jsonl': 'scribble\n' })];
    for (const folder of folders) nest(folder);
    expect(await removeRuns(cwd, { keep: 0, dryRun: false }, {})).toEqual({ removed: [NEW, OLD], kept: [], failed: [], onFleet: [] });
    expect(readdirSync(join(cwd, '.ralph/runs'))).toEqual([]);
  });

  it('takes along what a clean-up that was killed left behind', async () => {
    leave(OLD, { 'journal.jsonl': 'scribble\n' });
    for (const left of ['.removed-20250101-000000-00000', '.removing-abcdef']) {
      mkdirSync(join(cwd, '.ralph/runs', left), { recursive: true });
      nest(join(cwd, '.ralph/runs', left));
    }
    await removeRuns(cwd, { keep: 0, dryRun: false }, {});
    expect(readdirSync(join(cwd, '.ralph/runs'))).toEqual([]);
  });
});

describe('what not even root may remove', () => {
  const protect = (flag: '+i' | '-i', path: string): boolean => spawnSync('chattr', ['-R', flag, path]).status === 0;

  it.each(['turns', 'turns/1.1/file', '.'])('keeps no other run from being removed, and is named: %s', async (inside) => {
    const stuck = leave(NEW, { 'journal.jsonl': 'scribble\n' });
    mkdirSync(join(stuck, 'turns/1.1'));
    writeFileSync(join(stuck, 'turns/1.1/file'), 'x');
    const other = leave(OLD, { 'journal.jsonl': 'scribble\n' });
    if (!protect('+i', join(stuck, inside))) return;
    try {
      const { removed, failed } = await removeRuns(cwd, { keep: 0, dryRun: false }, {});
      expect([removed.includes(OLD), existsSync(other)]).toEqual([true, false]);
      expect(failed).toMatchObject([
        {
          code: 'clean-incomplete',
          message: expect.stringContaining(`${join(cwd, '.ralph/runs')}/`),
          fix: expect.stringContaining('chattr -R -i'),
        },
      ]);
      expect((await removeRuns(cwd, { keep: 0, dryRun: false }, {})).failed).toHaveLength(1);
    } finally {
      protect('-i', cwd);
    }
    expect((await removeRuns(cwd, { keep: 0, dryRun: false }, {})).failed).toEqual([]);
    expect(readdirSync(join(cwd, '.ralph/runs'))).toEqual([]);
  });
});

describe('a run that was killed before its first entry', () => {
  it('is listed as one that never began; one that cannot be read stays damaged', () => {
    leave(NEW);
    leave(OLD, { 'journal.jsonl': 'scribble\n' });
    expect(summariseRuns(cwd, {}).map(({ runId, status }) => [runId, status])).toEqual([
      [NEW, 'never_began'],
      [OLD, 'damaged'],
    ]);
  });

  it('is removed however new it is, and takes the place of none that stays', async () => {
    const folder = leave(NEW, { lock: '{"pid":1,"runId":' });
    const other = leave(OLD, { 'journal.jsonl': 'scribble\n' });
    utimesSync(join(folder, 'lock'), LONG_AGO, LONG_AGO);
    utimesSync(folder, LONG_AGO, LONG_AGO);
    expect((await removeRuns(cwd, { keep: 1, dryRun: false }, {})).removed).toEqual([NEW]);
    expect([existsSync(folder), existsSync(other)]).toEqual([false, true]);
  });

  it('stays while it may be just beginning', async () => {
    const folder = leave(NEW);
    expect((await removeRuns(cwd, { keep: 1, dryRun: false }, {})).removed).toEqual([]);
    utimesSync(folder, LONG_AGO, LONG_AGO);
    expect((await removeRuns(cwd, { keep: 1, dryRun: false }, {})).removed).toEqual([NEW]);
  });
});

describe('what came into git’s configuration since a run began that is cleaned', () => {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const settings = JSON.stringify({ version: 1, workspace: '', worktree: null, settings: { stateDir: '.ralph' }, gitPrograms: {} });
  const files = { 'journal.jsonl': 'scribble\n', 'settings.json': settings };
  const clean = async (): Promise<Record<string, string>> => {
    execFileSync('git', ['init', '-q'], { cwd, env });
    execFileSync('git', ['config', 'filter.x.clean', 'evil'], { cwd, env });
    await removeRuns(cwd, { keep: 0, dryRun: false }, env);
    return { ...(await captureTrustedPrograms(toLayout(cwd, '.ralph'), { cwd, env })) };
  };

  it('stays unconfirmed where the run was killed', async () => {
    const lock = { pid: spawnSync('true').pid, processStart: null, host: hostname(), pidNamespace: null, pipe: null, runId: OLD };
    leave(OLD, { ...files, lock: JSON.stringify({ ...lock, startedAt: 0, command: 'ralph run', nonce: 'n' }) });
    expect(await clean()).toEqual({});
  });

  it('is a person’s where the run ended', async () => {
    leave(OLD, files);
    expect(await clean()).toEqual({ 'filter.x.clean': 'evil' });
  });
});
