import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './markdown-pages.ts';

test('the check of a release calls every command', async () => {
  const { listSmokes } = (await import('../../scripts/release-smokes.mjs' as string)) as {
    listSmokes: (makeFolder: (name: string) => string, major: string) => readonly { readonly args: readonly string[] }[];
  };
  const help = execFileSync(process.execPath, [join(ROOT, 'bin/ralph.js'), 'help', 'all'], {
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '200' },
  });
  const commands = [...help.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name);
  const called = new Set(listSmokes((name) => name, '20').map(({ args }) => args[0]));
  expect(commands.length).toBeGreaterThan(20);
  expect(commands.filter((name) => !called.has(name))).toEqual([]);
});
