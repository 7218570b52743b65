import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { examine } from './examine.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-examine-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NATIVE = 'cli: {backend: {type: native, provider: scripted, script: model.yml}}\nhats: {a: {triggers: [task.start, task.resume]}}\n';

async function agentsIn(files: Readonly<Record<string, string>>, configFiles: readonly string[] = []) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { checks } = await examine({ cwd: folder, configFiles, env: { PATH: folder, HOME: folder } });
  return checks.find(({ name }) => name === 'agents')?.status;
}

describe('a machine without an agent CLI', () => {
  it('is a problem', async () => {
    expect(await agentsIn({})).toBe('problem');
  });

  it('is none where the named configuration uses the native agent', async () => {
    expect(await agentsIn({ 'team.yml': NATIVE, 'model.yml': 'turns: [{steps: [{text: Done.}]}]\n' }, ['team.yml'])).toBe('ok');
  });
});
