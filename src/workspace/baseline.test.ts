import { afterAll, describe, expect, it } from 'vitest';
import { type Json, parseJson } from '../core/index.ts';
import { parseBaseline } from './baseline.ts';
import { createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterAll(removeTestFolders);

describe('a baseline', () => {
  it('lists the user’s own files with what they were, and what was ignored', async () => {
    const repo = createTestRepository({ 'a.txt': 'a\n', '.gitignore': 'node_modules/\n*.log\n' });
    repo.write('a.txt', 'changed\n');
    repo.write('new.txt', 'new\n');
    repo.write('node_modules/x/y', 'x');
    repo.write('debug.log', 'x');
    repo.write('.ralph/state', 'x');
    const blob = (name: string): string => repo.git('hash-object', name).trim();
    expect(await repo.capture()).toEqual({
      version: 1,
      noRepository: '',
      dirty: [
        { path: 'a.txt', content: `100644 ${blob('a.txt')}`, isStagedApart: false },
        { path: 'new.txt', content: `100644 ${blob('new.txt')}`, isStagedApart: false },
      ],
      ignored: ['debug.log', 'node_modules/'],
    });
  });

  it('comes back from JSON as it was', async () => {
    const repo = createTestRepository();
    repo.write('x.txt', 'x');
    repo.link('link', 'nowhere');
    const baseline = await repo.capture();
    expect(parseBaseline(parseJson(JSON.stringify(baseline)) ?? null)).toEqual(baseline);
  });

  it.each<Json>([
    null,
    [],
    { version: 2, noRepository: '', dirty: [], ignored: [] },
    { version: 1, noRepository: 3, dirty: [], ignored: [] },
    { version: 1, noRepository: '', dirty: [{ path: 1, content: '', isStagedApart: false }], ignored: [] },
    { version: 1, noRepository: '', dirty: {}, ignored: [] },
    { version: 1, noRepository: '', dirty: [], ignored: [1] },
  ])('is not read from something else (%j)', (value) => {
    expect(parseBaseline(value)).toBeUndefined();
  });
});
