interface RunTally {
  readonly line: RegExp;
  /** Numbers of tests that ran. */
  readonly ran: RegExp;
  /** Numbers of tests among them that were skipped. */
  readonly skipped?: RegExp;
  /** `last`: its last line sums up; `all`: each of its lines is about other tests. */
  readonly count: 'last' | 'all';
}

const PASSED_OR_FAILED = /(\d{1,9}) (?:passed|failed|errors?)\b/g;
const SKIPPED_NUMBER = /\b(?:skipped|ignored)(?:=|: {0,9})(\d{1,9})/gi;
const NUMBER_SKIPPED = /(\d{1,9}) (?:pending|skipped|excluded)\b/g;

const RUN_TALLIES: readonly RunTally[] = [
  // vitest, jest
  { line: /^ {0,20}Tests:? {1,20}\d.{0,200}(?:passed|failed|total|skipped|\(\d{1,9}\))/, ran: PASSED_OR_FAILED, count: 'all' },
  // node
  { line: /^ {0,20}(?:#|ℹ) (?:pass|fail) \d{1,9}$/, ran: /(?:pass|fail) (\d{1,9})/g, count: 'all' },
  // cargo
  { line: /^test result: /, ran: /(\d{1,9}) (?:passed|failed)/g, count: 'all' },
  // unittest; what was skipped stands in another line
  { line: /^Ran \d{1,9} tests? in |^(?:OK|FAILED) \(.{1,100}=\d{1,9}\)$/, ran: /^Ran (\d{1,9})/g, skipped: SKIPPED_NUMBER, count: 'all' },
  // dotnet
  { line: /^(?:Passed|Failed)! {1,9}- Failed:/, ran: /(?:Failed|Passed): {1,9}(\d{1,9})/g, count: 'all' },
  // deno
  { line: /^(?:ok|FAILED) \| \d/, ran: PASSED_OR_FAILED, count: 'all' },
  // pytest
  { line: /^(?:=+ )?\d{1,9} (?:failed|passed|errors?|skipped).{0,200} in \d/, ran: PASSED_OR_FAILED, count: 'last' },
  // Maven; its last line is the sum
  { line: /^(?:\[\w+\] )?Tests run: \d/, ran: /Tests run: (\d{1,9})/g, skipped: SKIPPED_NUMBER, count: 'last' },
  // phpunit
  {
    line: /^OK \(\d{1,9} tests?, |^Tests: \d{1,9}, Assertions: \d/,
    ran: /(?:OK \(|Tests: )(\d{1,9})/g,
    skipped: SKIPPED_NUMBER,
    count: 'all',
  },
  // rspec, mix
  {
    line: /^\d{1,9} (?:examples?|tests?|doctests?), /,
    ran: /(\d{1,9}) (?:examples?|tests?|doctests?|propert(?:y|ies))\b/g,
    skipped: NUMBER_SKIPPED,
    count: 'all',
  },
  // mocha, bun
  { line: /^ {0,9}\d{1,9} (?:passing|failing|pass|fail)\b.{0,20}$/, ran: /^ {0,9}(\d{1,9})/g, count: 'all' },
];

/** How many tests ran, passed or failed, as the output of a test runner tells it; those that were skipped left out. `null` where it does not tell. */
export function countRunTests(output: string): number | null {
  const lines = toPlainLines(output);
  for (const { line, ran, skipped, count } of RUN_TALLIES) {
    const told = lines.filter((text) => line.test(text)).slice(count === 'last' ? -1 : 0);
    if (told.length > 0) return Math.max(0, sumOf(told, ran) - (skipped === undefined ? 0 : sumOf(told, skipped)));
  }
  return null;
}

function sumOf(lines: readonly string[], numbers: RegExp): number {
  return lines.flatMap((line) => [...line.matchAll(numbers)]).reduce((sum, [, number]) => sum + Number(number), 0);
}

/** How a tool tells how many tests failed. All numbers of a line are added. */
interface FailureTally {
  readonly line: RegExp;
  readonly numbers: RegExp;
  /** `last`: its last line sums up; `all`: each of its lines is about other tests; `each`: each line is one failed test. */
  readonly count: 'last' | 'all' | 'each';
}

const NUMBER_FAILED = /(\d{1,9}) (?:failed|failing|errors?|failures?)\b/g;
/** `failures=2`, `Failures: 1` */
const FAILURES_NUMBER = /\b(?:failures|errors|failed)(?:=|: {0,9})(\d{1,9})/gi;

const FAILURE_TALLIES: readonly FailureTally[] = [
  // vitest, jest
  { line: /^ {0,20}Tests:? {1,20}\d.{0,200}$/, numbers: NUMBER_FAILED, count: 'all' },
  // node
  { line: /^ {0,20}(?:#|ℹ) fail \d{1,9}$/, numbers: /fail (\d{1,9})/g, count: 'all' },
  // cargo
  { line: /^test result: FAILED\./, numbers: /(\d{1,9}) failed/g, count: 'all' },
  // unittest
  { line: /^FAILED \(.{1,100}\)$/, numbers: FAILURES_NUMBER, count: 'all' },
  // dotnet
  { line: /^Failed! {1,9}- Failed:/, numbers: /Failed: {1,9}(\d{1,9})/g, count: 'all' },
  // deno
  { line: /^FAILED \| /, numbers: NUMBER_FAILED, count: 'all' },
  // pytest
  { line: /^(?:=+ )?\d{1,9} (?:failed|passed|errors?|skipped).{0,200} in \d/, numbers: NUMBER_FAILED, count: 'last' },
  // Maven; its last line is the sum
  { line: /^(?:\[\w+\] )?Tests run: \d/, numbers: FAILURES_NUMBER, count: 'last' },
  // phpunit
  { line: /^Tests: \d{1,9}, Assertions: \d/, numbers: FAILURES_NUMBER, count: 'last' },
  // Gradle, rspec, mix
  { line: /^\d{1,9} (?:tests? completed|examples?|tests?|doctests?), /, numbers: NUMBER_FAILED, count: 'all' },
  // mocha, bun
  { line: /^ {0,9}\d{1,9} (?:failing|fail)$/, numbers: /(\d{1,9})/g, count: 'all' },
  // go
  { line: /^ {0,40}--- FAIL: /, numbers: /--- FAIL()/g, count: 'each' },
];

/** A package of Go that ran no test: what failed cannot be counted. */
const NOT_BUILT = /^FAIL\t.{0,200}\[(?:build|setup) failed\]/m;
/** The longest line that is looked at. */
const LOOKED_AT = 400;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOUR = /\u001b\[[\d;]{0,20}m/g;

/**
 * How many tests failed, as the output of a test runner tells it; `null` where it does not.
 *
 * @param isCut the output has lost its beginning, so that only a sum at the end counts
 */
export function countFailedTests(output: string, isCut = false): number | null {
  if (NOT_BUILT.test(output)) return null;
  const lines = toPlainLines(output);
  for (const tally of FAILURE_TALLIES) {
    if (tally.count === 'each' && isCut) continue;
    const numbers = lines.filter((line) => tally.line.test(line)).map((line) => toNumber(line, tally));
    const failed = tally.count === 'last' ? (numbers.at(-1) ?? 0) : numbers.reduce((sum, number) => sum + number, 0);
    if (failed > 0) return failed;
  }
  return null;
}

function toNumber(line: string, { numbers, count }: FailureTally): number {
  if (count === 'each') return 1;
  return [...line.matchAll(numbers)].reduce((sum, [, number]) => sum + Number(number), 0);
}

/** The lines of an output that say something, without colours. */
function toPlainLines(output: string): readonly string[] {
  return output.split('\n', 500_000).flatMap((line) => {
    const plain = line.slice(0, LOOKED_AT).replace(COLOUR, '').trimEnd();
    return plain === '' ? [] : [plain];
  });
}
