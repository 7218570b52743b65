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
