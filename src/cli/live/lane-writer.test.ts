import { expect, test } from 'vitest';
import type { LineWriter } from '../terminal/line-writer.ts';
import { createLaneWriter } from './lane-writer.ts';

function record(): { readonly lines: string[]; readonly writer: LineWriter } {
  const lines: string[] = [];
  const none = (): void => undefined;
  const writer: LineWriter = {
    text: (text) => lines.push(`text ${text}`),
    line: (text) => lines.push(text),
    gap: none,
    openLine: none,
    closeLine: () => true,
    finish: none,
    status: none,
  };
  return { lines, writer };
}

test('what two agents say at the same time comes in whole lines, each with the name of its hat in front', () => {
  const { lines, writer } = record();
  const plain = (_kind: string, text: string): string => text;
  const one = createLaneWriter(writer, 'linter', plain);
  const other = createLaneWriter(writer, 'tester', plain);
  one.text('I loo');
  other.text('Tests run.\nAll');
  one.text('k.\n');
  one.openLine('tool 1', '  ⚙ bash …');
  other.line('  ✓ succeeded');
  expect(one.closeLine('tool 1', ' ok')).toBe(false);
  other.text('x'.repeat(2001));
  expect(lines).toEqual([
    '  tester  Tests run.',
    '  linter  I look.',
    '  tester  All',
    '  tester  ✓ succeeded',
    `  tester  ${'x'.repeat(2001)}`,
  ]);
});
