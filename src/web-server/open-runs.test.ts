import { expect, it } from 'vitest';
import { createOpenRuns } from './open-runs.ts';
import { createFakeRun } from './run-fixtures.ts';

it('the runs that were asked for last are kept, and those that are held', async () => {
  const opened: string[] = [];
  const runs = createOpenRuns(
    {
      open: (key) => {
        opened.push(key);
        return createFakeRun().run;
      },
    },
    { runs: 2, inputs: 1000 },
  );
  const release = runs.hold('a');
  for (const key of ['a', 'b', 'c', 'd']) await runs.read(key);
  expect(runs.count()).toBe(3);
  await runs.read('a');
  await runs.read('d');
  expect(opened).toEqual(['a', 'b', 'c', 'd']);
  await runs.read('b');
  expect(opened).toEqual(['a', 'b', 'c', 'd', 'b']);
  release();
  expect(runs.count()).toBe(2);
});

it('long runs count for more than short ones, and the one that is looked at is kept however long it is', async () => {
  const long = (): ReturnType<typeof createFakeRun> => {
    const fake = createFakeRun();
    for (let turn = 0; turn < 100; turn += 1) fake.addTurn();
    return fake;
  };
  const runs = createOpenRuns({ open: () => long().run }, { runs: 20, inputs: 150 });
  await runs.read('a');
  await runs.read('b');
  expect(runs.count()).toBe(1);
});
