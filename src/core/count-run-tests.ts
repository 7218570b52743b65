import { toPlainLines } from './count-failed-tests.ts';

/** How a tool tells how many tests ran. */
interface Tally {
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

const TALLIES: readonly Tally[] = [
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
  for (const { line, ran, skipped, count } of TALLIES) {
    const told = lines.filter((text) => line.test(text)).slice(count === 'last' ? -1 : 0);
    if (told.length > 0) return Math.max(0, sumOf(told, ran) - (skipped === undefined ? 0 : sumOf(told, skipped)));
  }
  return null;
}

function sumOf(lines: readonly string[], numbers: RegExp): number {
  return lines.flatMap((line) => [...line.matchAll(numbers)]).reduce((sum, [, number]) => sum + Number(number), 0);
}
