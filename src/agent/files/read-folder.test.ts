import { afterAll, describe, expect, it } from 'vitest';
import { createPlace, removePlaces, type TestPlace } from './file-tool-fixtures.ts';
import { walkFolder } from './read-folder.ts';
import { createSearchBudget, describeStop, type SearchLimits } from './search-budget.ts';

afterAll(removePlaces);

const limits: SearchLimits = { maxEntries: 5, maxMs: 1000 };

async function walk(
  place: TestPlace,
  budget = createSearchBudget({ maxEntries: 1000, maxMs: 1e9 }, new AbortController().signal),
): Promise<readonly string[]> {
  const found: string[] = [];
  const order = { start: place.workspace, workspace: place.workspace, withIgnored: false, budget };
  for await (const { path } of walkFolder(order)) found.push(path);
  return found;
}

describe('a walk', () => {
  it('goes by name, and leaves out what a rule ignores, unless a nearer one brings it back', async () => {
    const place = createPlace();
    for (const path of ['z', 'a/b', 'a/c.log', 'out/x', 'a/out/y', '.hidden', 'a/deep/k.log']) place.write(path, '');
    place.write('.gitignore', '/out/\n*.log\n');
    place.write('a/deep/.gitignore', '!k.log\n');
    place.write('.git/info/exclude', 'z\n');
    expect(await walk(place)).toEqual(['.gitignore', '.hidden', 'a/b', 'a/deep/.gitignore', 'a/deep/k.log', 'a/out/y']);
  });

  it('ends when it has seen as much as it may, and says so', async () => {
    const place = createPlace();
    for (let index = 0; index < 20; index += 1) place.write(`f${index}`, '');
    const budget = createSearchBudget(limits, new AbortController().signal, () => 0);
    expect(await walk(place, budget)).toHaveLength(5);
    expect(describeStop(budget, limits)).toContain('Stopped after 5 files and folders');
  });

  it('ends when its time is over, or the turn is', async () => {
    const place = createPlace();
    for (let index = 0; index < 20; index += 1) place.write(`f${index}`, '');
    let now = 0;
    const slow = createSearchBudget({ maxEntries: 1000, maxMs: 1000 }, new AbortController().signal, () => {
      now += 100;
      return now;
    });
    expect((await walk(place, slow)).length).toBeLessThan(20);
    expect(describeStop(slow, limits)).toContain('Stopped after 1 s');
    const stopped = createSearchBudget(limits, AbortSignal.abort());
    expect(await walk(place, stopped)).toEqual([]);
    expect(describeStop(stopped, limits)).toContain('the turn was ended');
  });

  it('says nothing about an end that came by itself', async () => {
    const budget = createSearchBudget(limits, new AbortController().signal, () => 0);
    expect(await walk(createPlace(), budget)).toEqual([]);
    expect(describeStop(budget, limits)).toBe('');
  });
});
