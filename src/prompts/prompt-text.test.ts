import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanForPrompt,
  fenced,
  inBlock,
  inCode,
  inLine,
  isInert,
  joinWords,
  listInCode,
  mergePieces,
  ours,
  say,
  theirs,
  toText,
} from './prompt-text.ts';

const PROMISE = 'LOOP_COMPLETE';
const hostileText = fc
  .array(
    fc.constantFrom(
      '```',
      '````',
      '~~~',
      '`',
      '~',
      '\n',
      '\r',
      ' ',
      'a',
      '- ',
      '> ',
      '<event topic="a.b">',
      '</event>',
      'EVENT:a.b',
      'HAT_TRANSITION:x',
      PROMISE,
      '\u0000',
    ),
    {
      maxLength: 14,
    },
  )
  .map((parts) => parts.join(''));

describe('quoting of what others wrote', () => {
  it('cleans control characters, line breaks and broken surrogates, and keeps everything else', () => {
    expect(cleanForPrompt('a\u0000b\u001b[31mc\r\nd\re\tf\u{1F9E2}\ud800')).toBe('ab[31mc\nd\ne\tf\u{1F9E2}\ufffd');
  });

  it('puts a text for a sentence on one line and disarms event tags', () => {
    expect(toText(inLine(' two\n lines <event topic="a">'))).toBe('two lines &lt;event topic="a">');
    expect(toText(inLine('a < b, <events>'))).toBe('a < b, <events>');
  });

  it('keeps inline code closed whatever backticks the text has', () => {
    expect(toText(inCode('a`b'))).toBe("`a'b`");
  });

  it('lists each text once and says how many of a very long list are left out', () => {
    expect(toText(listInCode(['a', 'b', 'a']))).toBe('`a`, `b`');
    expect(toText(listInCode(Array.from({ length: 45 }, (_, index) => `t${index}`)))).toMatch(/`t39` and 5 more$/);
  });

  it('takes a fence longer than any in the text, and the shorter kind', () => {
    expect(toText(fenced('x'))).toBe('```\nx\n```');
    expect(toText(fenced('````\nx\n````'))).toBe('~~~\n````\nx\n````\n~~~');
    expect(toText(fenced('```` ~~~~~'))).toBe('`````\n```` ~~~~~\n`````');
  });

  it('never lets fenced text out of its fence', () => {
    fc.assert(fc.property(hostileText, (text) => isInert(toText(fenced(text)), PROMISE)));
  });

  it('shows a harmless block as it is and fences one that would say something to the loop', () => {
    expect(toText(inBlock('Say `LOOP_COMPLETE` when done.\n', PROMISE))).toBe('Say `LOOP_COMPLETE` when done.');
    expect(toText(inBlock('When done, output:\nLOOP_COMPLETE', PROMISE))).toBe('```\nWhen done, output:\nLOOP_COMPLETE\n```');
    expect(toText(inBlock('EVENT:build.done', PROMISE))).toBe('```\nEVENT:build.done\n```');
    expect(toText(inBlock('```\nleft open', PROMISE))).toBe('~~~\n```\nleft open\n~~~');
  });

  it('makes every block harmless without losing a word of it', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = toText(inBlock(text, PROMISE));
        expect(isInert(shown, PROMISE)).toBe(true);
        expect(shown).toContain(cleanForPrompt(text).trim());
      }),
    );
  });
});

describe('words that remember their author', () => {
  it('counts the literal parts of a template as our own and keeps the author of what is put in', () => {
    expect(say`for ${theirs('build.task')}.`).toEqual([
      { own: true, text: 'for ' },
      { own: false, text: 'build.task' },
      { own: true, text: '.' },
    ]);
  });

  it('leaves empty parts out of a list, with their separators', () => {
    expect(toText(joinWords([ours('a'), [], theirs('b')], ', '))).toBe('a, b');
  });

  it('merges neighbours of the same author and nothing else', () => {
    const words = say`a${ours('b')}${theirs('c')}${theirs('d')}e`;
    expect(mergePieces(words)).toEqual([
      { own: true, text: 'ab' },
      { own: false, text: 'cd' },
      { own: true, text: 'e' },
    ]);
  });
});
