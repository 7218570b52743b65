import { expect, test } from 'vitest';
import { COMMAND_NAMES } from '../../src/cli/command-table.ts';

test('the check of a release calls every command', async () => {
  const { listSmokes } = (await import('../../scripts/release-smokes.mjs' as string)) as {
    listSmokes: (makeFolder: (name: string) => string, major: string) => readonly { readonly args: readonly string[] }[];
  };
  const called = new Set(listSmokes((name) => name, '20').map(({ args }) => args[0]));
  expect(COMMAND_NAMES.filter((name) => !called.has(name))).toEqual([]);
});
