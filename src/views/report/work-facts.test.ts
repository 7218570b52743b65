import { describe, expect, it } from 'vitest';
import type { FileStat, RunStat } from '../../core/run/run-stat.ts';
import { toChangeFacts, toReadFirst } from './work-facts.ts';

const file = (path: string, lines = 1, more: Partial<FileStat> = {}): FileStat => ({
  path,
  from: null,
  status: 'changed',
  added: lines,
  removed: 0,
  isSubmodule: false,
  ...more,
});
const stat = (files: readonly FileStat[], more: Partial<RunStat> = {}): RunStat => ({
  files,
  added: 0,
  removed: 0,
  between: [],
  isWhole: true,
  prefix: '',
  ...more,
});
const classify = (path: string) => (path.startsWith('test/') ? 'test' : path === 'package.json' ? 'gate' : null);
const read = (files: readonly FileStat[], afterGreen: readonly string[] = []) =>
  toReadFirst(toChangeFacts(stat(files), { classify, afterGreen: new Set(afterGreen) })).map(({ file: { path }, why }) => [why, path]);

describe('the files to be read first', () => {
  it('are what decides about the work, then the largest changes, then what no gate has seen', () => {
    const files = [
      file('a.ts', 2),
      file('big.ts', 300),
      file('late.ts', 3),
      file('package.json'),
      file('test/a.test.ts', 5),
      file('test/b.test.ts', 50),
    ];
    expect(read(files, ['late.ts', 'big.ts', 'package.json'])).toEqual([
      ['gate', 'package.json'],
      ['test', 'test/b.test.ts'],
      ['test', 'test/a.test.ts'],
      ['large', 'big.ts'],
      ['unchecked', 'late.ts'],
    ]);
  });

  it('hold a test that was renamed into something else', () => {
    expect(read([file('notes.txt', 0, { from: 'test/a.test.ts', status: 'renamed' })])).toEqual([['test', 'notes.txt']]);
  });

  it('are classified from the folder that the agents work in', () => {
    const facts = toChangeFacts(stat([file('sub/package.json'), file('package.json')], { prefix: 'sub/' }), {
      classify,
      afterGreen: new Set(),
    });
    expect(facts.files.map((entry) => [entry.path, entry.class])).toEqual([
      ['package.json', 'gate'],
      ['sub/package.json', 'gate'],
    ]);
  });

  it('stay among those that are kept of ten thousand', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => file(`src/${String(index).padStart(5, '0')}.ts`));
    const facts = toChangeFacts(stat([...many, file('test/z.test.ts')]), { classify, afterGreen: new Set() });
    expect([facts.count, facts.files.length, facts.files.at(-1)?.path]).toEqual([10_001, 1000, 'test/z.test.ts']);
  });
});
