import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isBranchName, isRefName, isRemoteName, isRevision, isRevisionRange } from './git-names.ts';

const word = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,8}$/);
const branch = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('/'));

it('takes every plain name, with whatever may follow the name of a commit', () => {
  const suffix = fc.constantFrom('', '~', '~3', '^', '^2', '^{commit}', '@{1}', '@{u}', '~2^2');
  fc.assert(fc.property(branch, suffix, (name, end) => isRefName(name) && isBranchName(name) && isRevision(name + end)));
});

it('takes ranges of what it takes', () => {
  fc.assert(fc.property(branch, branch, fc.constantFrom('..', '...'), (left, right, dots) => isRevisionRange(left + dots + right)));
});

it('takes nothing that begins like an option, whatever follows', () => {
  fc.assert(
    fc.property(fc.string(), (rest) => {
      const text = `-${rest}`;
      return !isRefName(text) && !isRevision(text) && !isBranchName(text) && !isRemoteName(text) && !isRevisionRange(text);
    }),
  );
});

it('takes nothing with a blank, a control character or a colon in it', () => {
  const bad = fc.constantFrom(' ', '\t', '\n', '\0', ':', '\u007f', '\u009b', '\u202e', '?', '*', '[', '\\');
  fc.assert(fc.property(fc.string(), bad, fc.string(), (left, middle, right) => !isRevisionRange(left + middle + right)));
});

it('is done quickly with long texts', () => {
  for (const piece of ['~', '^', '@{1}', 'a/', '..', '^{']) expect(isRevisionRange(piece.repeat(20_000))).toBe(false);
});
