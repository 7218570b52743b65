import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listChangedPackages } from './changed-packages.ts';

let top = '';
let cwd = '';

function write(path: string, text = 'as installed'): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

/** A moment behind everything that was written so far, and before everything that will be. */
async function toMoment(): Promise<number> {
  const probe = join(top, 'probe');
  const read = (): number => {
    rmSync(probe, { force: true });
    writeFileSync(probe, '');
    return statSync(probe).ctimeMs;
  };
  const begun = read();
  let now = begun;
  while (now <= begun) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    now = read();
  }
  const moment = now;
  while (read() <= moment) await new Promise((resolve) => setTimeout(resolve, 2));
  return moment;
}

const END = Number.MAX_SAFE_INTEGER;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'ralph-packages-'));
  cwd = join(top, 'work');
  for (const path of ['node_modules/chai/index.js', 'node_modules/.bin/mocha', 'packages/web/node_modules/a/index.js']) write(path);
  write('.venv/lib/python3/site-packages/pytest/main.py');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('installed packages', () => {
  it('are as they were where nobody touched them, whatever tools put into caches beside them', async () => {
    const since = await toMoment();
    write('node_modules/.cache/babel/x.json');
    write('node_modules/.vite/results.json');
    write('.venv/lib/python3/site-packages/pytest/__pycache__/main.pyc');
    write('src/index.js');
    expect(await listChangedPackages({ cwd, since, until: END })).toEqual({ count: 0, first: [], isWhole: true });
  });

  it('are named where a file was written, put in the place of another or added, though its time says otherwise', async () => {
    const since = await toMoment();
    write('node_modules/chai/index.js', 'module.exports = () => true');
    utimesSync(join(cwd, 'node_modules/chai/index.js'), 1, 1);
    write('other/mocha');
    renameSync(join(cwd, 'other/mocha'), join(cwd, 'node_modules/.bin/mocha'));
    write('packages/web/node_modules/b/index.js');
    write('.venv/lib/python3/site-packages/pytest/main.py', 'pass');
    const { count, first } = await listChangedPackages({ cwd, since, until: END });
    expect(count).toBe(4);
    expect([...first].sort()).toEqual([
      '.venv/lib/python3/site-packages/pytest/main.py',
      'node_modules/.bin/mocha',
      'node_modules/chai/index.js',
      'packages/web/node_modules/b/index.js',
    ]);
    expect(await listChangedPackages({ cwd, since, until: since })).toMatchObject({ count: 0 });
  });

  it('are seen through the link by which a worktree shares them', async () => {
    const since = await toMoment();
    const worktree = join(top, 'worktree');
    mkdirSync(worktree);
    symlinkSync(join(cwd, 'node_modules'), join(worktree, 'node_modules'));
    expect(await listChangedPackages({ cwd: worktree, since, until: END })).toMatchObject({ count: 0 });
    write('node_modules/chai/index.js', 'x');
    expect(await listChangedPackages({ cwd: worktree, since, until: END })).toMatchObject({ first: ['node_modules/chai/index.js'] });
  });

  it('are looked at up to a number of files, and it is said that there were more', async () => {
    for (let index = 0; index < 40; index += 1) write(`node_modules/p${index}/index.js`);
    expect(await listChangedPackages({ cwd, since: 0, until: END, maxFiles: 10 })).toMatchObject({ isWhole: false });
    expect(await listChangedPackages({ cwd: join(top, 'nowhere'), since: 0, until: END })).toMatchObject({ count: 0, isWhole: true });
  });
});
