import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkNativeAgents, checkToolParts } from './check-native.ts';

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

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-check-tools-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** What the doctor says of a folder with this configuration, and with a module that must not run. */
async function look(yaml: string, env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  writeFileSync(join(cwd, 'ralph.yml'), yaml);
  writeFileSync(join(cwd, 'ship.mjs'), 'throw new Error("it ran");');
  return (await checkToolParts({ cwd, configFiles: [], env })).map(({ name, status, text }) => `${name}: ${status}: ${text}`);
}

it.each<[string, Record<string, string>, readonly string[]]>([
  ['name: x', {}, []],
  ['tools: {search: {provider: brave}}', {}, ['web_search: warning: no key for brave in BRAVE_API_KEY']],
  ['tools: {search: {provider: brave, api_key_env: K}}', { K: 'k' }, ['web_search: ok: brave: its key is there']],
  ['tools: {search: {provider: brave}}', { BRAVE_API_KEY: 'a\nb' }, ['web_search: warning: no key for brave in BRAVE_API_KEY']],
  ['tools: {search: {provider: searxng, base_url: "http://x"}}', {}, ['web_search: ok: searxng, which needs no key']],
  ['tools: {plugins: {ship: ship.mjs}}', {}, ['tools: ok: the files of ship are there; what is in them: ralph tools']],
  ['tools: {plugins: {ship: gone.mjs}}', {}, ['tools: problem: The tool ship cannot be loaded from gone.mjs: there is no such file.']],
  ['tools: {plugins: 7}', {}, []],
])('the doctor sees whether what is said of tools is there: %s', async (yaml, env, expected) => {
  expect(await look(yaml, env)).toEqual(expected);
});
