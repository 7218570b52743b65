import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Settings } from '../config/settings.ts';
import { findLayout } from './find-layout.ts';
import { openAgentFolders, requireLayout, toLayout, toStateName } from './layout.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'ralph-folders-'));
  for (const name of ['work', 'outside']) mkdirSync(join(base, name));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (changed: Partial<Settings['prompts']> = {}): void => {
  const prompts = { eventsFile: '.agent/events.jsonl', scratchpad: '.agent/scratchpad.md', workspaceDir: '.agent/workspace', ...changed };
  openAgentFolders(join(base, 'work'), { stateDir: '.ralph', prompts } as unknown as Settings);
};

describe('the folders that agents write to', () => {
  it('are made, and git ignores them', () => {
    open({ scratchpad: 'notes/pad.md' });
    expect(readFileSync(join(base, 'work', '.agent', '.gitignore'), 'utf8')).toBe('*\n');
    expect([existsSync(join(base, 'work', 'notes')), existsSync(join(base, 'work', 'notes', '.gitignore'))]).toEqual([true, false]);
  });

  it('are made through no link that agents may have left', () => {
    symlinkSync(join(base, 'outside'), join(base, 'work', '.agent'));
    expect(() => open()).toThrow(expect.objectContaining({ code: 'state-folder', message: expect.stringContaining('symbolic link') }));
    expect(readdirSync(join(base, 'outside'))).toEqual([]);
  });

  it('are made through no link that lies deeper either', () => {
    mkdirSync(join(base, 'work', '.agent'));
    symlinkSync(join(base, 'outside'), join(base, 'work', '.agent', 'sub'));
    expect(() => open({ eventsFile: '.agent/sub/deep/events.jsonl' })).toThrow('symbolic link');
    expect(readdirSync(join(base, 'outside'))).toEqual([]);
  });
});

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

it('the state folder has its name from the root, also from that of the file system', () => {
  expect([toLayout('/work'), toLayout('/work', 'state/ralph'), toLayout('/')].map(toStateName)).toEqual([
    '.ralph',
    'state/ralph',
    '.ralph',
  ]);
});
