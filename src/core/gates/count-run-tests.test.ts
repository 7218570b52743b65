import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { countRunTests } from './count-run-tests.ts';

const read = (name: string): string => readFileSync(new URL(`../../../fixtures/gate-outputs/${name}.txt`, import.meta.url), 'utf8');

it.each([
  ['jest', 2],
  ['vitest', 1],
  ['node', 2],
  ['npm', 2],
  ['pytest', 2],
  ['cargo', 1],
])('counts the tests that ran in a real output of %s', (name, ran) => {
  expect(countRunTests(read(name))).toBe(ran);
});

it.each(['eslint', 'make', 'npm-script', 'tsc', 'go'])('counts nothing where %s does not tell how many tests ran', (name) => {
  expect(countRunTests(read(name))).toBeNull();
});

it.each([
  ['node, green', '# tests 5\n# suites 0\n# pass 4\n# fail 0\n# cancelled 0\n# skipped 1\n', 4],
  ['node in words', 'ℹ tests 9\nℹ pass 5\nℹ fail 4\n', 9],
  ['node without a test', '# tests 0\n# pass 0\n# fail 0\n', 0],
  ['vitest, green', ' Test Files  2 passed (2)\n      Tests  7 passed | 2 skipped (9)\n', 7],
  ['jest, green', 'Tests:       1 skipped, 5 passed, 6 total', 5],
  ['two packages of cargo', 'test result: ok. 3 passed; 0 failed; 1 ignored\ntest result: FAILED. 1 passed; 1 failed; 0 ignored', 5],
  ['pytest', '=========== 3 failed, 1 passed, 2 skipped in 0.30s ===========', 4],
  ['unittest', 'Ran 4 tests in 0.001s\n\nOK', 4],
  ['unittest with skipped ones', 'Ran 4 tests in 0.001s\n\nOK (skipped=3)', 1],
  ['mocha', '  5 passing (12ms)\n  1 pending\n  2 failing\n', 7],
  ['maven', 'Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n[INFO] Tests run: 9, Failures: 0, Errors: 0, Skipped: 2', 7],
  ['rspec', '7 examples, 2 failures, 1 pending', 6],
  ['mix', '3 tests, 1 failure', 3],
  ['dotnet', 'Passed!  - Failed:     0, Passed:     3, Skipped:     2, Total:     5', 3],
  ['phpunit', 'OK (4 tests, 9 assertions)', 4],
  ['bun', ' 3 pass\n 2 fail\n', 5],
  ['deno', 'ok | 4 passed | 0 failed (12ms)', 4],
])('counts the tests that ran of %s', (_name, output, ran) => {
  expect(countRunTests(output)).toBe(ran);
});

it('needs little time for a hostile output', () => {
  const startedAt = performance.now();
  for (const line of [' '.repeat(200_000), '1'.repeat(200_000), `Tests:${' '.repeat(200_000)}x`, 'OK ('.repeat(30_000)])
    countRunTests(line);
  expect(performance.now() - startedAt).toBeLessThan(500);
});
