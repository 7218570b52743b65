import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkConfig } from '../../src/validation/index.ts';
import { ROOT } from './markdown-pages.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-examples-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Every YAML file under a folder, by its path from the root. */
function listYaml(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

/** `model.yml` is what a scripted model says, no configuration; test/e2e/seven-hats.test.ts plays it. */
const EXAMPLES = listYaml('examples').filter((file) => basename(file) !== 'model.yml');

test('there are examples, and all of their YAML files are configurations', () => {
  expect(EXAMPLES.map((file) => basename(file))).toContain('ralph.yml');
  expect(EXAMPLES.filter((file) => !/^(?:ralph|config)\.ya?ml$/.test(basename(file)))).toEqual([]);
});

test.each(EXAMPLES)('%s gives no finding, its prompt included', (file) => {
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  cpSync(join(ROOT, dirname(file)), cwd, { recursive: true });
  const { diagnostics, settings } = checkConfig({ cwd, configFiles: [basename(file)], prompt: 'required', env: {} });
  expect(diagnostics.map(({ code, line, message }) => `${line}: ${code}: ${message}`)).toEqual([]);
  expect(settings).not.toBeNull();
});

test('every preset is a file that the tests of presets know, and no folder of them is left out', () => {
  expect(listYaml('presets').filter((file) => dirname(file) !== 'presets')).toEqual([]);
});
