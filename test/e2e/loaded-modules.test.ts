import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ralph, withFolder } from './ralph.ts';

const FILES = {
  'ralph.yml': 'cli:\n  backend: custom\n  command: ./agent.sh\n',
  'agent.sh': '#!/bin/sh\necho LOOP_COMPLETE\n',
  'hook.cjs': `process.on('exit', () => require('node:fs').writeFileSync(__dirname + '/loaded.txt', process.moduleLoadList.join('\\n')));\n`,
};

test('a run of a shell agent loads nothing of HTTP: neither the sandbox, its probes and their model, nor a provider', async () => {
  await withFolder(FILES, async (folder) => {
    chmodSync(join(folder, 'agent.sh'), 0o755);
    const env = { NODE_OPTIONS: `--require ${join(folder, 'hook.cjs')}` };
    expect(await ralph(folder, ['run', '-p', 'x', '--no-tui', '-q'], env)).toMatchObject({ code: 0 });
    const loaded = readFileSync(join(folder, 'loaded.txt'), 'utf8').split('\n');
    expect(loaded).toContain('NativeModule child_process');
    expect(loaded.filter((name) => /^NativeModule (?:https?|_http_client|tls)$/.test(name))).toEqual([]);
  });
});
