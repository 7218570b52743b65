import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { countFailedTests } from './count-run-tests.ts';

const read = (name: string): string => readFileSync(new URL(`../../../fixtures/gate-outputs/${name}.txt`, import.meta.url), 'utf8');

it.each(['jest', 'vitest', 'node', 'npm', 'pytest', 'go', 'cargo'])('counts the failed tests of a real output of %s', (name) => {
  expect(countFailedTests(read(name))).toBe(1);
});

it.each(['eslint', 'make', 'npm-script', 'tsc'])('counts nothing where %s ran no tests', (name) => {
  expect(countFailedTests(read(name))).toBeNull();
});

it.each([
  ['pytest', '=========== 3 failed, 1 passed, 2 errors in 0.30s ===========', 5],
  ['pytest that collects nothing', '!!!!!! Interrupted: 1 error during collection !!!!!!\n=== 1 error in 0.10s ===', 1],
  ['unittest', 'Ran 4 tests in 0.001s\n\nFAILED (failures=2, errors=1)', 3],
  ['mocha', '  5 passing (12ms)\n  2 failing\n', 2],
  ['node in words', 'ℹ tests 9\nℹ pass 5\nℹ fail 4\n', 4],
  ['two packages of cargo', 'test result: FAILED. 1 passed; 2 failed; 0 ignored\ntest result: FAILED. 0 passed; 1 failed; 0 ignored', 3],
  ['go', '--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL', 3],
  ['go that does not compile everything', '--- FAIL: TestA (0.00s)\nFAIL\tb [build failed]\nFAIL', null],
  ['maven', 'Tests run: 2, Failures: 1, Errors: 0\n[ERROR] Tests run: 9, Failures: 2, Errors: 1, Skipped: 0', 3],
  ['gradle', '12 tests completed, 4 failed', 4],
  ['rspec', '7 examples, 2 failures, 1 pending', 2],
  ['dotnet', 'Failed!  - Failed:     2, Passed:     3, Skipped:     0, Total:     5', 2],
  ['mix', '3 tests, 1 failure', 1],
  ['phpunit', 'Tests: 3, Assertions: 3, Failures: 1, Errors: 1.', 2],
  ['bun', ' 3 pass\n 2 fail\n', 2],
  ['deno', 'FAILED | 4 passed | 1 failed (12ms)', 1],
  ['colours', '\u001b[31m      Tests  \u001b[1m2 failed\u001b[22m | 1 passed (3)\u001b[39m', 2],
])('counts the failed tests of %s', (_name, output, failed) => {
  expect(countFailedTests(output)).toBe(failed);
});

it('counts no zero: an output that tells of none does not say why the command failed', () => {
  expect(countFailedTests('# tests 2\n# fail 0\n')).toBeNull();
  expect(countFailedTests('')).toBeNull();
});

it('counts nothing one by one in an output whose beginning is lost', () => {
  expect(countFailedTests('--- FAIL: TestB (0.00s)\nFAIL', true)).toBeNull();
  expect(countFailedTests('# fail 2', true)).toBe(2);
});

it('needs little time for a hostile output', () => {
  const startedAt = performance.now();
  for (const line of [' '.repeat(200_000), '1'.repeat(200_000), `Tests:${' '.repeat(200_000)}x`, 'FAILED ('.repeat(30_000)])
    countFailedTests(line);
  expect(performance.now() - startedAt).toBeLessThan(500);
});
