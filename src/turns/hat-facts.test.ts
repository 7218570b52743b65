import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { makeSpec } from '../core/spec-fixtures.ts';
import { BUILT_IN_POLICIES } from '../core/tools/tool-profiles.ts';
import type { PromptOptions } from '../prompts/prompt-context.ts';
import { hasEmitTool, listMoreTools, readScratchpad, toAbilities, toPromptOptions } from './hat-facts.ts';

let base: string;
const PAD = '.agent/scratchpad.md';
const SETTINGS: PromptOptions = {
  scratchpad: PAD,
  eventsFile: '.agent/events.jsonl',
  specsDir: './specs/',
  promptFile: null,
  guardrails: null,
  workspaceDir: '.agent/workspace/',
};

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'facts-'));
  mkdirSync(join(base, '.agent'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('the scratchpad that a prompt is given', () => {
  it('is what stands in the file; nothing where there is none', () => {
    expect(readScratchpad(base, PAD)).toBeNull();
    writeFileSync(join(base, PAD), '# Plan\n');
    expect(readScratchpad(base, PAD)).toEqual({ text: '# Plan\n', isWhole: true });
  });

  it('is the end of a file that is huge', () => {
    writeFileSync(join(base, PAD), `${'x'.repeat(5_000_000)}end`);
    const found = readScratchpad(base, PAD);
    expect([found?.isWhole, found?.text.length, found?.text.slice(-4)]).toEqual([false, 65_536, 'xend']);
  });

  it('is never what a link, a second name or a folder leads to', () => {
    writeFileSync(join(base, 'secret'), 'SECRET');
    for (const put of [
      () => symlinkSync('../secret', join(base, PAD)),
      () => linkSync(join(base, 'secret'), join(base, PAD)),
      () => mkdirSync(join(base, PAD)),
    ]) {
      put();
      expect(readScratchpad(base, PAD)).toBeNull();
      rmSync(join(base, PAD), { recursive: true });
    }
  });
});

describe('what a hat may do, as its prompt says', () => {
  const of = (profile: string) =>
    toAbilities({ policies: { hat: BUILT_IN_POLICIES[profile] ?? null }, profiles: {} }, 'hat', { type: 'claude' });

  it('is everything where nothing holds it back', () => {
    expect(toAbilities({ policies: { hat: null }, profiles: {} }, 'hat', { type: 'claude' })).toEqual({});
  });

  it('follows its profile', () => {
    expect(of('critic').mayWrite).toBe(false);
    expect([of('critic').mayNote, of('creator').mayNote]).toEqual([false, true]);
    expect(of('creator')).toMatchObject({ mayWrite: true, mayRun: true, mayCommit: true });
  });
});

describe('whether agents are told to commit', () => {
  it('is always, only in a worktree, or never', () => {
    const of = (agentCommits: 'own_branch' | 'never' | undefined, isOwn: boolean) =>
      toPromptOptions({ prompts: SETTINGS, ...(agentCommits === undefined ? {} : { agentCommits }) }, isOwn).agentsCommit ?? true;
    expect([of(undefined, false), of('own_branch', false), of('own_branch', true), of('never', true)]).toEqual([true, false, true, false]);
  });
});

test('every agent CLI that can have it gets emit_event where that is said, else those with a profile', () => {
  const settings = { spec: makeSpec({}), policies: { critic: BUILT_IN_POLICIES['critic'] ?? null } };
  const has = (emitTool: 'auto' | 'on' | 'all' | 'off', hat: string): boolean =>
    hasEmitTool({ ...settings, emitTool }, hat, { type: 'claude' });
  expect([has('auto', 'critic'), has('auto', 'builder')]).toEqual([true, false]);
  expect([has('on', 'builder'), has('all', 'builder'), has('off', 'critic')]).toEqual([true, true, false]);
  expect(hasEmitTool({ ...settings, emitTool: 'all' }, 'builder', { type: 'cline' })).toBe(false);
});

test('agents get no tool beside emit_event that nobody asked for', () => {
  expect(listMoreTools({})).toEqual([]);
  expect(listMoreTools({ emitTool: 'on', human: { ask: 'auto', deadlineMs: 1 } })).toEqual([]);
  expect(listMoreTools({ emitTool: 'auto', human: { ask: 'on', deadlineMs: 1 } })).toEqual(['ask_person']);
  expect(listMoreTools({ emitTool: 'all', human: { ask: 'off', deadlineMs: 1 } })).toEqual(['list_hats', 'read_events']);
});
