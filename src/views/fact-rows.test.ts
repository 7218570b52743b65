import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toRowLines, wrapText } from './fact-rows.ts';

describe('toRowLines', () => {
  it('puts the labels in a column and shows a repeated one once', () => {
    const rows = [
      { label: 'Asked', text: 'one' },
      { label: 'Evidence', text: 'two' },
      { label: 'Evidence', text: 'three' },
    ];
    expect(toRowLines(rows, { width: 80 })).toEqual(['  Asked     one', '  Evidence  two', '            three']);
  });

  it('wraps a long text beside its label', () => {
    expect(toRowLines([{ label: 'Why', text: 'a bb ccc dddd eeeee ffffff ggggggg' }], { width: 30 })).toEqual([
      '  Why  a bb ccc dddd eeeee',
      '       ffffff ggggggg',
    ]);
  });
});

describe('wrapText', () => {
  it('loses nothing but white space and keeps within the width', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.integer({ min: 5, max: 60 }), (text, width) => {
        const lines = wrapText(text, width);
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
      }),
    );
  });
});
