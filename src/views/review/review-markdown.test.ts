import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { toCodeBlock, toCodeSpan, toMarkdownText } from './review-markdown.ts';

describe('texts of agents in Markdown', () => {
  it.each([
    ['All tests pass.', 'All tests pass.'],
    ['<img src=x onerror=alert(1)> now', '`<img` src=x `onerror=alert(1)>` now'],
    ['see [here](http://evil.example) or https://evil.example', 'see `[here](http://evil.example)` or `https://evil.example`'],
    ['ask @maintainer about #12, www.evil.example', 'ask `@maintainer` about `#12`, `www.evil.example`'],
    ['run `ralph land` and `a``b`', 'run `ralph land` and `a` `b`'],
    ['<`a`', '`<` `a`'],
    ['**bold** _it_ ~~no~~ a|b &amp; ![x](y)', '`**bold** _it_ ~~no~~ a|b &amp; ![x](y)`'],
    ['two\nlines\u001b[31m\u202e', 'two lines'],
    ['- item', '`-` item'],
    ['mends GH-12, gh-3 and (GH-4)', 'mends `GH-12`, `gh-3` and `(GH-4)`'],
    ['mends KEY-12, group!12 and %4', 'mends `KEY-12`, `group!12` and `%4`'],
    ['50% of well-known tests, and/or 3.5 s', '50% of well-known tests, and/or 3.5 s'],
    ['(www.evil.example) evil.example (a1b2c3d): a.b', '`(www.evil.example) evil.example (a1b2c3d):` a.b'],
  ])('%j is %s', (text, markdown) => {
    expect(toMarkdownText(text)).toBe(markdown);
  });

  it('cannot leave a piece of code, in a line or in a block', () => {
    const hostile = fc.stringMatching(/^[`~<\n a@#]{0,60}$/);
    fc.assert(
      fc.property(hostile, (text) => {
        const [, mark = '', inner = '', end = ''] = /^(`+)([\s\S]*?[^`]|)(`+)$/.exec(toCodeSpan(text)) ?? [];
        expect(end).toBe(mark);
        expect(inner.match(/`+/g) ?? []).not.toContain(mark);
        const lines = toCodeBlock(text);
        const fence = lines.at(-1) ?? '';
        expect(lines[0]).toBe(`${fence}text`);
        for (const line of lines.slice(1, -1)) expect(line.trim().startsWith(fence)).toBe(false);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('show no mark of Markdown outside of code', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const outside = toMarkdownText(text).replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '');
        expect(outside).not.toMatch(/[`*_~[\]<>|@#&\\]|:\/\//);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });
});
