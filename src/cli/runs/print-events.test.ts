import { expect, it } from 'vitest';
import type { EventRow } from '../../views/fold/fold-events.ts';
import { createFakeContext } from '../fixtures.ts';
import { createEventPrinter } from './print-events.ts';

const ROW: EventRow = {
  v: 1,
  id: 'e12',
  seq: 40,
  ts: 0,
  iteration: 7,
  topic: 'review.rejected',
  source: 'reviewer',
  target: null,
  sender: null,
  worker: null,
  causes: ['e11'],
  payload: 'the parser takes -1 for a length',
  to: ['builder'],
  status: 'routed',
};

it('an event of a person shows who published it, and by what they were known', () => {
  const fake = createFakeContext({ isTty: true, columns: 80 });
  createEventPrinter(fake.context.terminal, 'table')({ ...ROW, source: 'external', sender: { pid: 7, user: 'ann', how: 'terminal' } });
  expect(fake.out()).toContain('(ann, process 7, by terminal) the parser takes');
});

it.each([60, 80, 200])('an event shows its payload on a terminal of %i columns, and no line beyond it', (columns) => {
  const fake = createFakeContext({ isTty: true, columns });
  createEventPrinter(fake.context.terminal, 'table')(ROW);
  expect(fake.out()).toContain('the parser takes -1 for a length');
  expect(
    fake
      .out()
      .split('\n')
      .filter((line) => line.length > columns),
  ).toEqual([]);
});

it('keeps its columns for the events of Ralph himself, and on 80 columns', () => {
  const fake = createFakeContext({ isTty: true, columns: 80 });
  const print = createEventPrinter(fake.context.terminal, 'table');
  for (const source of ['planner', 'quality_gate']) print({ ...ROW, source });
  const rows = fake
    .out()
    .split('\n')
    .filter((line) => line.includes('review.rejected'));
  expect(rows.map((line) => [line.indexOf('builder'), line.indexOf('e11')])).toEqual([
    [rows[0]?.indexOf('builder'), rows[0]?.indexOf('e11')],
    [rows[0]?.indexOf('builder'), rows[0]?.indexOf('e11')],
  ]);
  expect(rows[0]?.indexOf('e11')).toBeGreaterThan(0);
});
