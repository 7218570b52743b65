import { expect, it } from 'vitest';
import type { TurnDetail } from '../wire/turn-row.ts';
import { createTextReader } from './read-text.ts';

it('of a diff of any size its beginning is shown, and how much is left', async () => {
  const patch = `diff --git a/x b/x\n${'+x\n'.repeat(1_000_000)}`;
  let tell = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const run = { text: () => null, index: () => ({ calls: [], growth: [], isCut: false }), evidence: () => null, diff: async () => patch };
  const reader = createTextReader(run, () => tell());
  const read = (scroll: number) =>
    reader.read({
      ...{ detail: { row: { name: '1.1', status: 'succeeded' }, rows: [] } as unknown as TurnDetail, tab: 'diff', scroll },
      ...{ filter: '', at: null, now: 0, room: { columns: 80, rows: 5 } },
    });
  read(0);
  await ready;
  const { lines } = read(Number.MAX_SAFE_INTEGER);
  expect(lines.at(-1)?.[0]?.text).toBe(`… ${patch.length - 1024 * 1024} more characters: ralph show --diff`);
});
