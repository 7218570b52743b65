import { expect, it } from 'vitest';
import { createFakeContext } from '../fixtures.ts';
import { printTable } from './print.ts';

it.each([60, 80, 200])('shows every cell of a table on a terminal of %i columns, and no line beyond it', (columns) => {
  const fake = createFakeContext({ isTty: true, columns });
  const task = 'Mend the login so that people with two accounts end up in the one that they chose at last';
  printTable(
    fake.context.terminal,
    ['run', 'started', 'status', 'turns', 'cost', 'asked'],
    [['20261122-190012-abcd', '2026-11-22 19:00:12', 'max_iterations', '12', '$0.25', task]],
  );
  const lines = fake.out().trimEnd().split('\n');
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  const [heading = '', ...row] = lines;
  const shown = row.join(' ').replace(/\s+/g, ' ');
  for (const cell of ['20261122-190012-abcd', '2026-11-22 19:00:12', 'max_iterations', '12', '$0.25', task]) expect(shown).toContain(cell);
  expect(heading + shown).not.toContain('…');
  for (const title of ['run', 'started', 'status', 'turns', 'cost', 'asked'])
    expect([heading.split(/\s+/).includes(title), row.some((line) => line.startsWith(`    ${title}: `))]).toContain(true);
});
