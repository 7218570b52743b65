import { describe, expect, it } from 'vitest';
import { joinWords, mergePieces, ours, say, theirs, toText } from './words.ts';

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
