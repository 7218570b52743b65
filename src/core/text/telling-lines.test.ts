import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pickTellingLines } from './telling-lines.ts';

const read = (name: string): string => readFileSync(new URL(`../../../fixtures/gate-outputs/${name}.txt`, import.meta.url), 'utf8');

describe('the lines that say why a command failed', () => {
  it.each([
    ['node', ['not ok 1 - adds', '    -1 !== 5', '  expected: 5', '  actual: -1']],
    ['pytest', ['E       assert -1 == 5', 'FAILED test_a.py::test_add - assert -1 == 5']],
    ['go', ['--- FAIL: TestAdd (0.00s)', '    a_test.go:3: add(2, 3) = -1, want 5']],
    ['cargo', ['assertion `left == right` failed', '  left: -1', ' right: 5']],
    ['vitest', ['   × adds 8ms', 'AssertionError: expected -1 to be 5 // Object.is equality']],
    ['jest', ['    Expected: 5', '    Received: -1']],
    [
      'tsc',
      [
        "src/sum.ts(3,3): error TS2322: Type 'string' is not assignable to type 'number'.",
        "src/sum.ts(4,38): error TS2339: Property 'length' does not exist on type 'number'.",
      ],
    ],
    ['npm', ['not ok 1 - adds', '    -1 !== 5', '  expected: 5', '  actual: -1']],
    ['npm-script', ['npm error Missing script: "lint"']],
    ['eslint', ["  1:7   error  'unused' is assigned a value but never used  no-unused-vars"]],
    ['make', ["a.c:3:5: error: expected ';' before 'return'"]],
  ])('are among the eight that are shown of %s', (name, wanted) => {
    expect(pickTellingLines(read(name), 8)).toEqual(expect.arrayContaining(wanted));
  });

  it('come before notices and sums, however many of those follow', () => {
    const text = `${read('node')}${'npm notice New version\n'.repeat(200)}`;
    expect(pickTellingLines(text, 4).join('\n')).toContain('-1 !== 5');
    expect(pickTellingLines(text, 8).join('\n')).not.toContain('npm notice');
  });

  it('are the last ones where none says anything', () => {
    expect(pickTellingLines('a\nb\n\nc\n', 2)).toEqual(['b', 'c']);
  });
});
