import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from './diagnostic.ts';

function at(line: number, code: string, severity: Diagnostic['severity'], file = 'ralph.yml'): Diagnostic {
  const place = { file, line, column: 1, endLine: line, endColumn: 2, excerpt: { text: 'x', column: 1 } };
  return { code, severity, message: `Wrong ${line}.`, why: 'It matters.', fix: 'Mend it.', ...place };
}

describe('sortDiagnostics', () => {
  it('tells 200 of a kind, and with the last of them how many more there are', () => {
    const many = Array.from({ length: 1500 }, (_none, index) => at(index + 1, 'key-unknown', 'warning'));
    const told = sortDiagnostics([...many, at(2000, 'hat-unknown', 'error')]);
    expect(told).toHaveLength(201);
    expect(told[198]?.why).toBe('It matters.');
    expect(told[199]?.why).toBe('It matters. And 1,300 more of this kind.');
    expect(told[200]?.code).toBe('hat-unknown');
    expect(sortDiagnostics(told)).toEqual(told);
  });

  it('has an error of a file if and only if there was one', () => {
    const draw = fc.tuple(fc.nat(2000), fc.constantFrom('a', 'b'), fc.constantFrom('error' as const, 'warning' as const, 'hint' as const));
    const all = fc.array(draw, { maxLength: 900, size: 'max' });
    fc.assert(
      fc.property(all, fc.boolean(), (drawn, isCalm) => {
        const found = drawn.map(([line, code, severity]) => at(line, code, isCalm && severity === 'error' ? 'warning' : severity));
        expect(hasErrors(sortDiagnostics(found))).toBe(hasErrors(found));
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});
