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

  it('knows a large file by its size and time, and notices later that it changed', async () => {
    const repo = createTestRepository({ 'large.bin': 'small\n', 'grown.bin': 'small\n' });
    repo.write('large.bin', 'x'.repeat(17 << 20));
    repo.write('grown.bin', 'a bit more\n');
    const baseline = await repo.capture();
    expect(baseline.dirty.map((file) => file.content.split(' ')[0])).toEqual(['100644', 'time']);
    const workspace = repo.workspace(baseline);
    expect((await workspace.checkpoint(1)).leftOut).toEqual([]);
    repo.write('large.bin', 'small again\n');
    repo.write('grown.bin', 'x'.repeat(17 << 20));
    expect((await workspace.checkpoint(2)).leftOut).toEqual(['grown.bin', 'large.bin']);
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
