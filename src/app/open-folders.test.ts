import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Settings } from '../config/index.ts';
import { openAgentFolders } from './open-folders.ts';

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
