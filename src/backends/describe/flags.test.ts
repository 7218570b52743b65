import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bare, listed, valued, withoutFlags } from './flags.ts';

describe('flags that are taken out', () => {
  const DROPPED = [bare('--yolo'), valued('-s', '--sandbox'), listed('--tools')];

  it('go with their values, in both ways of writing', () => {
    expect(withoutFlags(['--yolo', 'a', '-s', 'x', '--sandbox=y', '--tools', 'b', 'c', '--d', 'e', '--tools=f'], DROPPED)).toEqual([
      'a',
      '--d',
      'e',
    ]);
  });

  it('leave everything else as it was', () => {
    const word = fc.string().filter((text) => !/^(?:--yolo|-s|--sandbox|--tools)(?:=|$)/.test(text));
    fc.assert(
      fc.property(fc.array(word), (args) => {
        expect(withoutFlags(args, DROPPED)).toEqual(args);
      }),
    );
  });

  it('end at the end', () => {
    expect([withoutFlags(['a', '-s'], DROPPED), withoutFlags(['--tools'], DROPPED)]).toEqual([['a'], []]);
  });
});
