import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ralph, withFolder } from './ralph.ts';

const FILES = {
  'ralph.yml': 'cli:\n  backend: custom\n  command: ./agent.sh\n',
  'agent.sh': '#!/bin/sh\necho LOOP_COMPLETE\n',
  'nothing.cjs': '',
  'hook.cjs': `process.on('exit', () => require('node:fs').writeFileSync(__dirname + '/loaded.txt', process.moduleLoadList.join('\\n')));\n`,
};

const CONFIG_HOOK = `process.on('exit', () => Object.keys(require.cache).some((name) => name.endsWith('config.cjs')) && require('node:fs').writeFileSync(__dirname + '/config-loaded', ''));\n`;

/** The built-in modules that a run of a shell agent has loaded. */
async function listLoaded(): Promise<readonly string[]> {
  return await withFolder(FILES, async (folder) => {
    chmodSync(join(folder, 'agent.sh'), 0o755);
    const env = { NODE_OPTIONS: `--require ${join(folder, 'hook.cjs')}` };
    expect(await ralph(folder, ['run', '-p', 'x', '--no-tui', '-q'], env)).toMatchObject({ code: 0 });
    const loaded = readFileSync(join(folder, 'loaded.txt'), 'utf8').split('\n');
    expect(loaded).toContain('NativeModule child_process');
    // What this Node loads for any script is not the command's.
    spawnSync(process.execPath, [join(folder, 'nothing.cjs')], { env: { ...process.env, ...env } });
    const usual = readFileSync(join(folder, 'loaded.txt'), 'utf8').split('\n');
    return loaded.filter((name) => !usual.includes(name));
  });
}

test('a run of a shell agent loads nothing of HTTP: neither the sandbox, its probes and their model, nor a provider', async () => {
  expect((await listLoaded()).filter((name) => /^NativeModule (?:https?|_http_client|tls)$/.test(name))).toEqual([]);
});

test('a run of a shell agent loads neither what loads modules nor what it does without', async () => {
  const needless = /^NativeModule (?:internal\/modules\/esm\/translators|fs\/promises|internal\/fs\/promises|perf_hooks)$/;
  expect((await listLoaded()).filter((name) => needless.test(name))).toEqual([]);
});

describe('ralph watch', () => {
  const watch = async (config: string): Promise<{ readonly stdout: string; readonly isConfigLoaded: boolean }> =>
    await withFolder({ ...FILES, 'ralph.yml': `${FILES['ralph.yml']}${config}`, 'hook.cjs': CONFIG_HOOK }, async (folder) => {
      chmodSync(join(folder, 'agent.sh'), 0o755);
      expect(await ralph(folder, ['run', '-p', 'x', '--no-tui', '-q'])).toMatchObject({ code: 0 });
      const { stdout } = await ralph(folder, ['watch'], { NODE_OPTIONS: `--require ${join(folder, 'hook.cjs')}` });
      return { stdout, isConfigLoaded: existsSync(join(folder, 'config-loaded')) };
    });

  test('reads no configuration where it says nothing of the state folder', async () => {
    expect(await watch('')).toMatchObject({ isConfigLoaded: false, stdout: expect.stringContaining('Completed') });
  });

  test('finds the run in the state folder that the configuration names', async () => {
    expect(await watch('core: { state_dir: .elsewhere }\n')).toMatchObject({
      isConfigLoaded: true,
      stdout: expect.stringContaining('Completed'),
    });
  });
});
