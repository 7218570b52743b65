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

describe('a command in a text', () => {
  const command = `\`mkdir -p /somewhere/.ralph/runs/20261123-003553-cnjp5 && cp -R /somewhere/.ralph/rescue/x/. /somewhere && ralph resume x\``;

  it('is never broken, however narrow the terminal is, so that it can be copied', () => {
    const row = { label: 'Next', text: `Bring it back and go on: ${command}. Then look at \`ralph show\`.` };
    for (const width of [20, 40, 80, 200]) {
      const lines = toRowLines([row], { width });
      expect(lines.filter((line) => line.includes(command))).toHaveLength(1);
      expect(lines.some((line) => line.includes('`ralph show`.'))).toBe(true);
    }
  });

  it('stands in a line of its own only where it has no room beside what is before it', () => {
    expect(wrapText('Go on with `ralph resume x`, or not.', 20)).toEqual(['Go on with', '`ralph resume x`, or', 'not.']);
    expect(wrapText('One ` is no command at all', 10)).toEqual(['One ` is', 'no command', 'at all']);
  });
});

describe('wrapText', () => {
  it('loses nothing but white space and keeps within the width', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }).filter((text) => !text.includes('`')),
        fc.integer({ min: 5, max: 60 }),
        (text, width) => {
          const lines = wrapText(text, width);
          expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
          expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
