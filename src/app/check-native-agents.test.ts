import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkNativeAgents } from './check-native-agents.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ralph-native-check-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

it.each([
  ['claude-sonnet-4-5', 'cost by list prices of 2026-09-23'],
  ['claude-sonnet-4-5-20250929', 'cost by list prices of 2026-09-23'],
  ['claude-haiku-4-5', 'cost by your prices of 2026-11-20'],
  ['claude-of-tomorrow', 'cost unknown, no `prices` name it'],
])('says by which prices %s is charged: %s', async (model, text) => {
  writeFileSync(
    join(cwd, 'ralph.yml'),
    `cli: {backend: {type: native, provider: anthropic, model: ${model}}}\nprices: {claude-haiku: {input: 1, output: 5, as_of: 2026-11-20}}\n`,
  );
  const checks = await checkNativeAgents({ cwd, env: { ANTHROPIC_API_KEY: 'k', HOME: cwd } });
  expect(checks).toEqual([{ name: 'native agent', status: 'ok', text: expect.stringContaining(text) }]);
});
