import { describe, expect, it } from 'vitest';
import type { FileStat, RunStat } from '../../core/run/run-stat.ts';
import { toChangedTexts, toStatLines } from './change-text.ts';

const file = (path: string, more: Partial<FileStat> = {}): FileStat => ({
  path,
  from: null,
  status: 'changed',
  added: 1,
  removed: 1,
  isSubmodule: false,
  ...more,
});
const stat = (files: readonly FileStat[], more: Partial<RunStat> = {}): RunStat => ({
  files,
  added: 4,
  removed: 2,
  between: [],
  isWhole: true,
  prefix: '',
  ...more,
});

describe('toStatLines', () => {
  it('gives each file a line with what became of it', () => {
    const files = [
      file('src/cart.mjs', { added: 1200, removed: 0 }),
      file('new.txt', { status: 'added', removed: 0 }),
      file('gone.txt', { status: 'deleted', added: 0, removed: 4 }),
      file('b.txt', { from: 'a.txt', status: 'renamed', added: 0, removed: 0 }),
      file('image.png', { status: 'added', added: null, removed: null }),
      file('run.sh', { added: 0, removed: 0 }),
      file('vendored', { isSubmodule: true }),
    ];
    expect(toStatLines(stat(files), { width: 80 }).join('\n')).toMatchInlineSnapshot(`
      "  src/cart.mjs   +1,200
        new.txt        new +1
        gone.txt       deleted −4
        a.txt → b.txt  renamed
        image.png      new binary
        run.sh         mode
        vendored       submodule
      7 files changed, +4 −2 lines, 1 binary."
    `);
  });

  it('cuts the beginning of long paths, counts what it does not list, and names what is not in it', () => {
    const files = Array.from({ length: 10_000 }, (_, index) => file(`${'deep/'.repeat(20)}file ${index}.txt`));
    const lines = toStatLines(stat(files, { between: ['mine\n.txt'], isWhole: false }), { width: 40, limit: 1 });
    expect(lines).toMatchInlineSnapshot(`
      [
        "  …deep/deep/deep/deep/file 0.txt  +1 −1",
        "  … and 9,999 more files",
        "10,000 files changed, +4 −2 lines. The end of the last turn was not seen: what it did is not in this. Not in this: 1 file that changed between turns ("mine\\n.txt").",
      ]
    `);
  });

  it('says that nothing changed', () => {
    expect(toStatLines(stat([]), { width: 80 })).toEqual(['No file changed.']);
  });

  it('does not say that nothing changed where that was not seen', () => {
    const unseen = { ...stat([]), isWhole: false };
    expect(toStatLines(unseen, { width: 80 })).toEqual([
      'No changed file was seen. The end of the last turn was not seen: what it did is not in this.',
    ]);
    expect(toChangedTexts({ ...unseen, files: [], count: 0, binary: 0 })[0]).toBe('no file that was seen');
  });
});
