import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { registerTool } from '../core/tools/plugin-tool.ts';
import { NO_TOOLS_SPEC } from '../core/tools/tools-spec.ts';
import { countTools, listRunTools, loadPluginFiles, withPluginFiles } from './plugin-files.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-plugins-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const GOOD = `group: 'runtime', description: 'Deploys.', parameters: { type: 'object' }, run: () => ({ text: 'done' })`;

/** A workspace with these modules in `tools/`. */
function open(modules: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(FOLDER, 'root-'));
  mkdirSync(join(root, 'tools'));
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(root, 'tools', name), text);
  return root;
}

const DIGEST = { config: '', prompt: '', keys: {} };

/** As a run does it: found, then loaded. */
async function load(root: string, plugins: Readonly<Record<string, string>>) {
  const settings = withPluginFiles({ tools: { ...NO_TOOLS_SPEC, plugins }, digest: DIGEST }, root);
  await loadPluginFiles(settings, root);
  return settings;
}

describe('a tool in a file', () => {
  it('is a tool of the run that names it, under that name, and of no other', async () => {
    const root = open({ 'deploy.mjs': `export default { ${GOOD} };` });
    const settings = await load(root, { deploy: './tools/deploy.mjs' });
    expect(listRunTools(settings)).toMatchObject([{ name: 'deploy', group: 'runtime', description: 'Deploys.' }]);
    expect(settings.tools.plugins).toEqual({ deploy: join(root, 'tools/deploy.mjs') });
    expect(listRunTools({ tools: NO_TOOLS_SPEC })).toEqual([]);
    expect(listRunTools(await load(root, { ship: 'tools/deploy.mjs' }))).toMatchObject([{ name: 'ship' }]);
  });

  it('counts among the tools of a hat that wears the native agent', async () => {
    const root = open({ 'deploy.mjs': `export default { ${GOOD} };` });
    const settings = { policies: {}, ...(await load(root, { deploy: 'tools/deploy.mjs' })) };
    expect(countTools(settings, 'builder', 'native')).toBe(BUILT_IN_CARDS.length + 1);
    expect(countTools({ policies: {} }, 'builder', 'native')).toBe(BUILT_IN_CARDS.length);
  });

  it('that changes after it was looked at, and before it is loaded, is not run', async () => {
    const root = open({ 'deploy.mjs': `export default { ${GOOD} };` });
    const settings = withPluginFiles({ tools: { ...NO_TOOLS_SPEC, plugins: { deploy: 'tools/deploy.mjs' } }, digest: DIGEST }, root);
    writeFileSync(join(root, 'tools/deploy.mjs'), 'globalThis.isPwned = 3;');
    await expect(loadPluginFiles(settings, root)).rejects.toThrow('it was changed a moment ago');
    expect(globalThis).not.toHaveProperty('isPwned');
  });

  it('that never comes to an end is given up', async () => {
    const root = open({ 'deploy.mjs': `await new Promise(() => {}); export default { ${GOOD} };` });
    const settings = withPluginFiles({ tools: { ...NO_TOOLS_SPEC, plugins: { deploy: 'tools/deploy.mjs' } }, digest: DIGEST }, root);
    await expect(loadPluginFiles(settings, root, 50)).rejects.toThrow('it is not ready after');
  });

  it('stays what it was when the file changes while the process lives', async () => {
    const root = open({ 'deploy.mjs': `export default { ${GOOD} };` });
    await load(root, { deploy: 'tools/deploy.mjs' });
    writeFileSync(join(root, 'tools/deploy.mjs'), 'throw new Error("changed")');
    expect(listRunTools(await load(root, { deploy: 'tools/deploy.mjs' }))).toMatchObject([{ description: 'Deploys.' }]);
  });

  it('is only read before the run may begin, and what is in it counts as part of the configuration', () => {
    const root = open({ 'deploy.mjs': 'globalThis.isPwned = true;' });
    const find = () => withPluginFiles({ tools: { ...NO_TOOLS_SPEC, plugins: { deploy: 'tools/deploy.mjs' } }, digest: DIGEST }, root);
    const before = find().digest.keys;
    expect(Object.keys(before)).toEqual(['tools.plugins.deploy']);
    expect(find().digest.keys).toEqual(before);
    writeFileSync(join(root, 'tools/deploy.mjs'), 'globalThis.isPwned = 2;');
    expect(find().digest.keys).not.toEqual(before);
    expect(globalThis).not.toHaveProperty('isPwned');
  });

  it('cannot have the name of one that the program registered', async () => {
    const root = open({ 'deploy.mjs': `export default { ${GOOD} };` });
    const remove = registerTool({ name: 'deploy', group: 'web', description: 'x', parameters: {}, run: () => ({ text: '' }) });
    await expect(load(root, { deploy: 'tools/deploy.mjs' })).rejects.toMatchObject({ code: 'tool-twice' });
    remove();
  });

  it.each<[string, string, string, string]>([
    ['is not there', 'other.mjs', '', 'there is no such file'],
    ['has a mistake in it', 'deploy.mjs', 'export default {', 'Error: '],
    ['throws', 'deploy.mjs', 'throw new Error("no \u001b[2J luck\\nat here")', 'Error: no'],
    ['exports nothing', 'deploy.mjs', 'export const tool = 1;', 'no default export'],
    ['exports a function', 'deploy.mjs', 'export default () => 1;', 'no default export'],
    ['calls its tool differently', 'deploy.mjs', `export default { name: 'ship', ${GOOD} };`, 'is called "ship"'],
    ['throws what cannot be told', 'deploy.mjs', 'throw { toString() { throw 1; } };', 'something that is no error'],
    ['throws when it is looked at', 'deploy.mjs', `export default { ${GOOD}, get hints() { throw new Error("no"); } };`, 'Error: no'],
    ['imports what is not there', 'deploy.mjs', 'import "./missing.mjs";', 'missing.mjs'],
  ])('that %s keeps the run from starting', async (_, file, text, words) => {
    const root = open({ [file]: text });
    const failed = await load(root, { deploy: 'tools/deploy.mjs' }).catch((error: unknown) => error as Error);
    expect(failed).toMatchObject({ code: 'plugin-file', exitCode: 1 });
    const { message } = failed as Error;
    expect(message).toContain('The tool deploy cannot be loaded from tools/deploy.mjs: ');
    expect(message).toContain(words);
    expect(message.split('\n')).toHaveLength(1);
    expect(message).not.toContain('\u001b');
  });

  it('that describes itself badly is refused as every tool is', async () => {
    const root = open({ 'deploy.mjs': `export default { ${GOOD.replace('runtime', 'files')} };` });
    await expect(load(root, { deploy: 'tools/deploy.mjs' })).rejects.toMatchObject({ code: 'tool-invalid' });
  });
});
