import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../property-fixtures.ts';
import { toServerToolName } from './server-tool-name.ts';

describe('the name of a tool of a server', () => {
  it('says the server and the tool', () => {
    expect(toServerToolName('docs', 'find_page')).toBe('mcp__docs__find_page');
  });

  it('is one that providers take, whatever the server calls it, and two tools stay two', () => {
    const name = fc.string({ minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(name, name, (first, second) => {
        const [one, other] = [toServerToolName('docs', first), toServerToolName('docs', second)];
        expect(one).toMatch(/^mcp__docs__[A-Za-z0-9_-]{1,53}$/);
        expect(one === other).toBe(first === second);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
