import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStatus } from './status.ts';

const id = 'a'.repeat(40);
const otherId = 'b'.repeat(40);

describe('the reader of git status', () => {
  it('reads the commit and the branch', () => {
    expect(parseStatus(`# branch.oid ${id}\0# branch.head feature/x\0`)).toEqual({ head: id, branch: 'feature/x', entries: [] });
    expect(parseStatus('# branch.oid (initial)\0# branch.head main\0')).toMatchObject({ head: null, branch: 'main' });
    expect(parseStatus(`# branch.oid ${id}\0# branch.head (detached)\0`)).toMatchObject({ head: id, branch: null });
  });

  it('reads changed, unmerged, untracked and ignored paths, with any character in them', () => {
    const text = [
      `1 M. N... 100644 100644 100644 ${id} ${otherId} with space \n and line`,
      `1 A. N... 000000 100644 100644 ${'0'.repeat(40)} ${id} new`,
      `1 .M S.M. 160000 160000 160000 ${id} ${id} sub`,
      `u UU N... 100644 100644 100644 100644 ${id} ${id} ${id} conflict file`,
      '? nested/',
      '! node_modules/',
      '',
    ].join('\0');
    const { entries } = parseStatus(text);
    expect(entries.map((entry) => [entry.path, entry.kind, entry.staged + entry.unstaged, entry.isRepository])).toEqual([
      ['with space \n and line', 'changed', 'M.', false],
      ['new', 'changed', 'A.', false],
      ['sub', 'changed', '.M', true],
      ['conflict file', 'unmerged', 'UU', false],
      ['nested/', 'untracked', '??', true],
      ['node_modules/', 'ignored', '!!', true],
    ]);
    expect(entries[0]).toMatchObject({ head: `100644 ${id}`, index: `100644 ${otherId}` });
    expect(entries[1]).toMatchObject({ head: 'absent', index: `100644 ${id}` });
  });

  it('passes over records it does not know', () => {
    expect(parseStatus('# stash 3\0z something new\0').entries).toEqual([]);
  });

  it('never throws, whatever it is given', () => {
    const piece = fc.constantFrom('1 ', 'u ', '? ', '! ', '# branch.oid ', '\0', ' ', 'M.', 'x', '\n', '160000');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(Array.isArray(parseStatus(pieces.join('')).entries)).toBe(true);
      }),
    );
  });
});
