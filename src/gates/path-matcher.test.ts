import { describe, expect, it } from 'vitest';
import { createPathMatcher } from './path-matcher.ts';

async function taken(globs: readonly string[], paths: readonly string[]): Promise<readonly string[]> {
  const { matches } = await createPathMatcher(globs);
  return paths.filter(matches);
}

const PATHS = ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/d.md', '.github/workflows/ci.yml', '../above.ts'];

describe('globs of paths', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['src'], ['src/b.ts', 'src/deep/c.ts', 'src/d.md']],
    [['src/'], ['src/b.ts', 'src/deep/c.ts', 'src/d.md']],
    [['./src/*.ts'], ['src/b.ts']],
    [['**/*.ts'], ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    [
      ['src/**', '!src/**/*.md'],
      ['src/b.ts', 'src/deep/c.ts'],
    ],
    [['!src'], ['a.ts', '.github/workflows/ci.yml', '../above.ts']],
    [['.github/**'], ['.github/workflows/ci.yml']],
    [['*.{ts,md}'], ['a.ts']],
    [['nothing'], []],
  ])('%j means %j', async (globs, expected) => {
    expect(await taken(globs, PATHS)).toEqual(expected);
  });

  it('tell in which folders to look', async () => {
    expect((await createPathMatcher(['.github/**', 'vitest.config.ts', 'test/*/x', './scripts/'])).bases).toEqual([
      '.github',
      'vitest.config.ts',
      'test',
      'scripts',
    ]);
    expect((await createPathMatcher(['**/*.yml'])).bases).toEqual(['']);
  });

  it('that are nonsense match nothing and end', async () => {
    expect(await taken(['[', '{a,', '(((((', ' ', '!'], PATHS)).toEqual([]);
  });
});
