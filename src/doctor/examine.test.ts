import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { examine } from './examine.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-examine-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NATIVE = 'cli: {backend: {type: native, provider: scripted, script: model.yml}}\nhats: {a: {triggers: [task.start, task.resume]}}\n';

async function lookIn(files: Readonly<Record<string, string>>, configFiles: readonly string[] = []) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { checks } = await examine({ cwd: folder, configFiles, env: { PATH: folder, HOME: folder } });
  return checks.find(({ name }) => name === 'agents');
}

async function agentsIn(...place: Parameters<typeof lookIn>) {
  return (await lookIn(...place))?.status;
}

describe('a machine without an agent CLI', () => {
  it('is a problem', async () => {
    expect(await agentsIn({})).toBe('problem');
  });

  it('is none where the named configuration uses the native agent', async () => {
    expect(await agentsIn({ 'team.yml': NATIVE, 'model.yml': 'turns: [{steps: [{text: Done.}]}]\n' }, ['team.yml'])).toBe('ok');
  });

  it('is none where the configuration names programs that are there, and they are told with their places', async () => {
    writeFileSync(join(folder, 'agent.sh'), '#!/bin/sh\n', { mode: 0o755 });
    const hats = 'hats: {a: {triggers: [task.start, task.resume], backend: {command: ./agent.sh}}}\n';
    const found = await lookIn({ 'own.yml': `cli: {backend: {command: ./agent.sh}}\n${hats}` }, ['own.yml']);
    expect(found).toEqual({ name: 'agents', status: 'ok', text: `custom:./agent.sh (${join(folder, 'agent.sh')})` });
  });

  it('stays one where such a program is missing', async () => {
    expect(await agentsIn({ 'lost.yml': 'cli: {backend: {command: ./lost.sh}}\n' }, ['lost.yml'])).toBe('problem');
  });
});

describe('hooks of tools', () => {
  const hooksIn = async (yaml: string): Promise<readonly string[]> => {
    writeFileSync(join(folder, 'hooks.yml'), yaml);
    const { checks } = await examine({ cwd: folder, configFiles: ['hooks.yml'], env: { PATH: folder, HOME: folder } });
    return checks.filter(({ name }) => name === 'hooks').map(({ status, text }) => `${status}: ${text}`);
  };
  const HOOKS = 'hooks: {PreToolUse: [{command: "a b"}]}\n';

  it('are named for each hat whose agent asks none', async () => {
    const hats = 'hats: {a: {triggers: [task.start, task.resume], publishes: [b]}, b: {triggers: [b], backend: [codex, claude]}}\n';
    const native = 'cli: {backend: {type: native, provider: scripted, script: model.yml}}\n';
    expect(await hooksIn(`${native}${hats}${HOOKS}`)).toEqual([
      'warning: those of b do not bind: codex, claude call their tools by themselves',
    ]);
    expect(await hooksIn(`cli: {backend: claude}\n${hats}${HOOKS}`)).toEqual([
      'warning: those of a do not bind: claude calls its tools by itself',
      'warning: those of b do not bind: codex, claude call their tools by themselves',
      'warning: those of ralph do not bind: claude calls its tools by itself',
    ]);
  });

  it('are no matter where they bind, or where there are none', async () => {
    expect(await hooksIn(`${NATIVE}${HOOKS}`)).toEqual([]);
    expect(await hooksIn('cli: {backend: claude}\n')).toEqual([]);
    expect(await hooksIn('cli: {backend: claude}\nhooks: {CompletionRequested: [{command: "a b"}]}\n')).toEqual([]);
  });
});
