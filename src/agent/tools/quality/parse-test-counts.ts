import { cleanOutput } from '../../tool/tool-output.ts';

/** What the tests came to, as far as their output says. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What was counted: Go says how many packages passed, and names the tests that did not. */
  readonly unit: 'tests' | 'packages';
}

/** The lines that are looked at, counted from the end: whoever counts does it there. */
const READ_LINES = 3000;

type CountReader = (lines: readonly string[]) => TestCounts | null;

/** Some outputs fit several: the stricter stand first. */
const READERS: readonly CountReader[] = [
  readVitest,
  readJest,
  readCargo,
  readDotnet,
  readSurefire,
  readNodeTest,
  readDeno,
  readPytest,
  readMocha,
  readBun,
  readGradle,
  readRspec,
  readGo,
];

/** Reads how many tests passed, failed and were skipped off what a test runner printed; `null` where nothing says so. */
export function parseTestCounts(output: string): TestCounts | null {
  const lines = cleanOutput(output).split('\n').slice(-READ_LINES);
  for (const read of READERS) {
    const counts = read(lines);
    if (counts !== null) return counts;
  }
  return null;
}

/** `      Tests  1 failed | 3 passed | 1 skipped (5)` */
function readVitest(lines: readonly string[]): TestCounts | null {
  const line = lines.findLast((each) => /^\s*Tests\s+\d+ \w+.*\(\d+\)$/.test(each));
  return line === undefined ? null : countWords(line);
}

/** `Tests:       1 failed, 2 skipped, 3 passed, 6 total` */
function readJest(lines: readonly string[]): TestCounts | null {
  const line = lines.findLast((each) => /^Tests:\s+\d+ .*\btotal$/.test(each.trim()));
  return line === undefined ? null : countWords(line);
}

/** `test result: ok. 3 passed; 0 failed; 1 ignored; …`, once for each binary. */
function readCargo(lines: readonly string[]): TestCounts | null {
  return sum(lines.filter((line) => line.startsWith('test result:')).map(countWords));
}

/** `Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3`, once for each project. */
function readDotnet(lines: readonly string[]): TestCounts | null {
  const found = lines.map((line) => /Failed:\s*(\d+), Passed:\s*(\d+), Skipped:\s*(\d+), Total:/.exec(line));
  return sum(found.flatMap((match) => (match === null ? [] : [toCounts(match[2], match[1], match[3])])));
}

/** `Tests run: 5, Failures: 1, Errors: 0, Skipped: 1` without a time: the sum of a module. */
function readSurefire(lines: readonly string[]): TestCounts | null {
  const shape = /Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$/;
  const found = lines.map((line) => shape.exec(line)).filter((match) => match !== null);
  return sum(
    found.map((match) => {
      const [run = 0, failures = 0, errors = 0, skipped = 0] = match.slice(1).map(Number);
      return { passed: Math.max(0, run - failures - errors - skipped), failed: failures + errors, skipped, unit: 'tests' as const };
    }),
  );
}

/** `# pass 2` of TAP, `ℹ pass 2` of the readable form; once for each process. */
function readNodeTest(lines: readonly string[]): TestCounts | null {
  const take = (word: string): number | null => {
    const found = lines.map((line) => new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`).exec(line.trim())?.[1]).filter((count) => count !== undefined);
    return found.length === 0 ? null : found.reduce((total, count) => total + Number(count), 0);
  };
  const passed = take('pass');
  const failed = take('fail');
  if (passed === null || failed === null) return null;
  return { passed, failed: failed + (take('cancelled') ?? 0), skipped: (take('skipped') ?? 0) + (take('todo') ?? 0), unit: 'tests' };
}

/** `ok | 3 passed | 1 ignored (10ms)` */
function readDeno(lines: readonly string[]): TestCounts | null {
  const line = lines.findLast((each) => /^(?:ok|FAILED) \| \d+ passed/.test(each));
  return line === undefined ? null : countWords(line);
}

/** `=== 1 failed, 2 passed, 1 skipped in 0.12s ===`, without the marks when quiet. */
function readPytest(lines: readonly string[]): TestCounts | null {
  const line = lines.findLast((each) => /^(?:=+ )?\d+ [a-z]+(?:, \d+ [a-z]+)* in [\d.]+s/.test(each));
  return line === undefined ? null : countWords(line);
}

/** `  3 passing (10ms)`, `  1 failing`, `  1 pending` */
function readMocha(lines: readonly string[]): TestCounts | null {
  const take = (word: string): number =>
    Number(
      lines
        .findLast((line) => new RegExp(`^\\s+\\d+ ${word}\\b`).test(line))
        ?.trim()
        .split(' ')[0] ?? 0,
    );
  if (!lines.some((line) => /^\s+\d+ passing \(/.test(line))) return null;
  return { passed: take('passing'), failed: take('failing'), skipped: take('pending'), unit: 'tests' };
}

/** ` 3 pass`, ` 1 fail` on lines of their own, then `Ran 4 tests across 1 files.` */
function readBun(lines: readonly string[]): TestCounts | null {
  if (!lines.some((line) => /^Ran \d+ tests? across/.test(line))) return null;
  const take = (word: string): number =>
    Number(
      lines
        .findLast((line) => new RegExp(`^\\s*\\d+ ${word}$`).test(line))
        ?.trim()
        .split(' ')[0] ?? 0,
    );
  return { passed: take('pass'), failed: take('fail'), skipped: take('skip') + take('todo'), unit: 'tests' };
}

/** `5 tests completed, 1 failed, 1 skipped`: only where one failed. */
function readGradle(lines: readonly string[]): TestCounts | null {
  const found = lines.map((line) => /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$/.exec(line.trim()));
  return sum(
    found.flatMap((match) => {
      if (match === null) return [];
      const [all = 0, failed = 0, skipped = 0] = match.slice(1).map((count) => Number(count ?? 0));
      return [{ passed: Math.max(0, all - failed - skipped), failed, skipped, unit: 'tests' as const }];
    }),
  );
}

/** `5 examples, 1 failure, 1 pending` */
function readRspec(lines: readonly string[]): TestCounts | null {
  const match = lines.map((line) => /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?/.exec(line)).findLast((each) => each !== null);
  if (match === undefined || match === null) return null;
  const [all = 0, failed = 0, pending = 0] = match.slice(1).map((count) => Number(count ?? 0));
  return { passed: Math.max(0, all - failed - pending), failed, skipped: pending, unit: 'tests' };
}

/** `--- PASS: TestX` where it is asked to tell (`-v`); else `ok  	package	0.1s` and `--- FAIL: TestX`. Only the outermost tests. */
function readGo(lines: readonly string[]): TestCounts | null {
  const count = (shape: RegExp): number => lines.filter((line) => shape.test(line)).length;
  const packages = count(/^ok {2}\t\S+/);
  const broken = count(/^FAIL\t\S+/);
  if (packages + broken === 0) return null;
  const [passed, failed, skipped] = [count(/^--- PASS: /), count(/^--- FAIL: /), count(/^--- SKIP: /)];
  if (passed > 0) return { passed, failed, skipped, unit: 'tests' };
  return { passed: packages, failed: broken, skipped, unit: 'packages' };
}

const WORDS: Readonly<Record<string, keyof Omit<TestCounts, 'unit'>>> = {
  passed: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  error: 'failed',
  errors: 'failed',
  skipped: 'skipped',
  ignored: 'skipped',
  todo: 'skipped',
  xfailed: 'skipped',
};

/** Adds up `3 passed`, `1 failed` and the like, whatever stands between them. */
function countWords(line: string): TestCounts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, count, word = ''] of line.matchAll(/(\d+) ([a-z]+)/g)) {
    const key = WORDS[word];
    if (key !== undefined) counts[key] += Number(count);
  }
  return { ...counts, unit: 'tests' };
}

function toCounts(passed = '0', failed = '0', skipped = '0'): TestCounts {
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped), unit: 'tests' };
}

function sum(all: readonly TestCounts[]): TestCounts | null {
  if (all.length === 0) return null;
  return all.reduce((left, right) => ({
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
    unit: left.unit,
  }));
}
