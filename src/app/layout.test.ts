import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findLayout, requireLayout, toLayout } from './layout.ts';

const BASE = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-layout-'));
afterAll(() => rmSync(BASE, { recursive: true, force: true }));

const MAKE: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a file': (path) => writeFileSync(path, ''),
  'a folder': (path) => void mkdirSync(path),
};

const FOLDERS = ['runs', 'bin', 'worktrees', 'rescue'].flatMap((name) => ['a pipe', 'a file'].map((what) => [what, name] as const));
const FILES = ['key', 'bin/ralph', '.gitignore'].flatMap((name) => ['a pipe', 'a folder'].map((what) => [what, name] as const));

describe('the places of Ralph', () => {
  it.each([...FOLDERS, ...FILES])('%s in the place of .ralph/%s is told, with what moves it away', (what, name) => {
    const root = mkdtempSync(join(BASE, 'place-'));
    const path = join(root, '.ralph', name);
    mkdirSync(dirname(path), { recursive: true });
    MAKE[what]?.(path);
    const told = { code: 'state-folder', why: expect.any(String), fix: `Move it away: mv ${path} ${path}.old` };
    expect(() => requireLayout(toLayout(root))).toThrow(expect.objectContaining(told));
    if (name === 'runs') expect(() => findLayout(root)).toThrow(expect.objectContaining(told));
  });

  it('may be there or not', () => {
    const root = mkdtempSync(join(BASE, 'place-'));
    requireLayout(toLayout(root));
    mkdirSync(join(root, '.ralph/runs'), { recursive: true });
    writeFileSync(join(root, '.ralph/key'), '');
    expect(findLayout(root).root).toBe(root);
  });
});
