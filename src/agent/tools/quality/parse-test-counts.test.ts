import { expect, it } from 'vitest';
import { parseTestCounts } from './parse-test-counts.ts';

it.each([
  ['vitest', ' Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed | 1 skipped (5)\n   Start at  10:00:00', [3, 1, 1]],
  [
    'vitest in colour',
    '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m12 passed\u001b[39m\u001b[22m\u001b[90m (12)\u001b[39m',
    [12, 0, 0],
  ],
  ['jest', 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total\nSnapshots:   0 total', [3, 1, 2]],
  ['mocha', '  parser\n    ✓ reads\n\n  3 passing (10ms)\n  1 pending\n  2 failing\n\n  1) parser', [3, 2, 1]],
  ['node --test as TAP', 'ok 1 - a\n# tests 4\n# suites 0\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0', [2, 1, 1]],
  ['node --test for people', '✔ a (1ms)\nℹ tests 2\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0', [2, 0, 0]],
  ['pytest', '..F\n========= 1 failed, 2 passed, 1 skipped in 0.12s =========', [2, 1, 1]],
  ['pytest -q', '....\n4 passed, 1 warning in 0.01s', [4, 0, 0]],
  ['pytest that cannot import', 'ERROR x.py\n1 error in 0.05s', [0, 1, 0]],
  [
    'cargo',
    'test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured',
    [5, 1, 1],
  ],
  [
    'go -v',
    '=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n--- SKIP: TestC (0.00s)\nFAIL\nFAIL\texample.org/x\t0.1s',
    [1, 1, 1],
  ],
  [
    'maven',
    '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A\n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1',
    [2, 2, 1],
  ],
  ['gradle', '> Task :test FAILED\n5 tests completed, 1 failed, 1 skipped', [3, 1, 1]],
  ['dotnet', 'Failed!  - Failed:     1, Passed:     3, Skipped:     2, Total:     6, Duration: 9 ms - A.dll (net8.0)', [3, 1, 2]],
  ['bun', ' 3 pass\n 1 fail\n 4 expect() calls\nRan 4 tests across 1 files. [5.00ms]', [3, 1, 0]],
  ['deno', 'FAILED | 3 passed | 1 failed | 2 ignored (10ms)', [3, 1, 2]],
  ['rspec', 'Finished in 0.1 seconds\n5 examples, 1 failure, 1 pending', [3, 1, 1]],
])('reads what %s says at its end', (_, output, [passed, failed, skipped]) => {
  expect(parseTestCounts(output)).toEqual({ passed, failed, skipped, unit: 'tests' });
});

it('counts packages where go names no test that passed', () => {
  const output = 'ok  \texample.org/x\t0.1s\nok  \texample.org/y\t(cached)\n--- FAIL: TestZ (0.00s)\nFAIL\texample.org/z\t0.2s\nFAIL';
  expect(parseTestCounts(output)).toEqual({ passed: 2, failed: 1, skipped: 0, unit: 'packages' });
});

it.each(['', 'all is well', '3 passed', 'I ran 5 tests and 3 passed in my head', 'Tests  many failed (all)'])(
  'makes no figures of %j',
  (output) => {
    expect(parseTestCounts(output)).toBeNull();
  },
);
