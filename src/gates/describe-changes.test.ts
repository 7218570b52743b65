import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from './describe-changes.ts';

describe('the difference of two texts', () => {
  it('shows what was taken out and what was put in, with the lines around', () => {
    expect(diffLines('1\n2\n3\n4\n5\n6\n', '1\n2\n3\nfour\n5\n6\n', 50)).toBe(' 2\n 3\n-4\n+four\n 5\n 6'.replace(/^/, '…\n'));
  });

  it('shows places that are far apart apart', () => {
    const lines = Array.from({ length: 20 }, (_, index) => String(index));
    const changed = lines.map((line) => (line === '2' || line === '17' ? `${line}!` : line));
    expect(diffLines(lines.join('\n'), changed.join('\n'), 50).split('\n')).toEqual([
      ...[' 0', ' 1', '-2', '+2!', ' 3', ' 4', '…', ' 15', ' 16', '-17', '+17!', ' 18', ' 19'],
    ]);
  });

  it('counts what it does not show', () => {
    expect(diffLines('', Array.from({ length: 10 }, (_, index) => index).join('\n'), 4)).toBe('+0\n+1\n+2\n+3\n… 6 more lines differ');
  });

  it('shows a long text where there was none, and none where there was one', () => {
    const long = Array.from({ length: 3000 }, (_, index) => `${index}\n`).join('');
    expect(diffLines('', long, 2)).toBe('+0\n+1\n… 2998 more lines differ');
    expect(diffLines(long, '', 2)).toBe('-0\n-1\n… 2998 more lines differ');
    expect(diffLines(long, `${long}${long}`, 3)).toBe('…\n 2998\n 2999\n… 3000 more lines differ');
  });

  it('leads from the one to the other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const marked = diffLines(before.map((line) => `${line}\n`).join(''), after.map((line) => `${line}\n`).join(''), 1000).split('\n');
        const removed = marked.filter((line) => line.startsWith('-')).map((line) => line.slice(1));
        const added = marked.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
        expect(before.length - removed.length).toBe(after.length - added.length);
        const rest: string[] = [...before];
        for (const line of removed) rest.splice(rest.indexOf(line), 1);
        expect([...rest, ...added].sort()).toEqual([...after].sort());
      }),
    );
  });

  it('finds the places in a long text', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => String(index));
    const changed = lines.map((line) => (line === '2' || line === '17000' ? `${line}!` : line));
    expect(diffLines(lines.join('\n'), changed.join('\n'), 50).split('\n')).toEqual([
      ...[' 0', ' 1', '-2', '+2!', ' 3', ' 4', '…', ' 16998', ' 16999', '-17000', '+17000!', ' 17001', ' 17002'],
    ]);
  });

  it('of large texts takes no time worth mentioning', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `before ${index}`).join('\n');
    const others = Array.from({ length: 5000 }, (_, index) => `after ${index}`).join('\n');
    expect(diffLines(many, others, 10).split('\n')).toHaveLength(11);
    expect(diffLines(`same\n${many}\nend`, `same\n${others}\nend`, 20_000)).toMatch(/^ same\n-before 0[\s\S]*\n\+after 4999\n end$/);
  });
});
