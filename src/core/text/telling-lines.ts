/** Lines with which test runners, compilers and linters begin to tell of a failure. */
const FAILURES: readonly RegExp[] = [
  /^\s*not ok \d/,
  /^\s*[✖✗✘×✕●❯] \S/,
  /^\s*(?:--- )?FAIL(?:ED)?\b/,
  /\bFAILED\b/,
  /^\s*\w*(?:Error|Exception)\b.{0,80}:/,
  /^\s*(?:error|fatal)\b.{0,20}[:[]/i,
  /\berror TS\d+/,
  /\bpanicked at\b/,
  /^\[ERROR\]/,
  /^Traceback \(most recent/,
  /^\S+:\d+(?::\d+)?: (?:fatal )?error/,
];

/** Lines that say what differs from what was expected, or what is wrong where. */
const REASONS: readonly RegExp[] = [
  /^E {2,}\S/,
  /AssertionError\b.*:\s*\S/,
  /^\s*(?:expected|received|actual|left|right|want|got)\b:? {0,9}\S/i,
  /\b(?:want|expected)\b.{0,60}\S/i,
  /^\s*\S{1,80} (?:[!=]==?|<>) \S{1,80}\s*$/,
  /^\s*[-+] {1,3}(?!Expected|Received)\S/,
  /^assertion .* failed/,
  /\berror TS\d+/,
  /^\s+\d+:\d+\s+error\b/,
  /^\S+:\d+(?::\d+)?: (?:fatal )?error/,
  /^error\[E\d+\]/,
  /^\s+\S+:\d+: \S/,
];

/** Lines that a failure would be told without: advertisements, clocks, sums, frames of the stack. */
const NOISE: readonly RegExp[] = [
  /^npm (?:notice|warn|http|timing)\b/i,
  /^\s*(?:# )?(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms|snapshots|time|start at|duration|ran all)\b[ :]/i,
  /^\s*(?:Test Files|Tests|Test Suites) /,
  /^\s*at \S|^\s*\d+: \S+::|\bnode:internal\b|^\s*\S+ \(node:/,
  /^(?:FAIL|PASS|ok)$/,
  /^\s*(?:code|name|operator|failureType|location|stack|type): /,
  /^(?:make|npm error|npm ERR!)\b/,
  /^(?:\s*[-⎯=~_^|]+\s*(?:\[\d+\/\d+\][-⎯]+)?|\s*(?:---|\.\.\.)\s*)$/,
];
/** Sums of nothing. */
const NO_FAILURES = /\b0 (?:errors?|fail(?:ed|ures?|ing)?)\b/i;

/** So much of a line is looked at. */
const LOOKED_AT = 400;

/** True for a line with which a tool begins to tell of a failure, or says what is wrong. */
export function isFailureLine(line: string): boolean {
  const start = line.slice(0, LOOKED_AT);
  return (FAILURES.some((pattern) => pattern.test(start)) || isReason(start)) && !NO_FAILURES.test(start);
}

function isReason(line: string): boolean {
  return REASONS.some((pattern) => pattern.test(line)) && !NOISE.some((pattern) => pattern.test(line));
}

/**
 * The lines of a failed command's output that say why, in their order: first what differs and what is wrong where, then which tests failed, then the last
 * ones; notices, clocks and sums only where nothing else is there.
 *
 * @param limit how many lines
 */
export function pickTellingLines(text: string, limit: number): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rated = lines.map((line, index) => ({ line, index, rank: toRank(line.slice(0, LOOKED_AT)) }));
  const best = rated.sort((a, b) => a.rank - b.rank || (a.rank < 2 ? a.index - b.index : b.index - a.index)).slice(0, limit);
  return best.sort((a, b) => a.index - b.index).map(({ line }) => line);
}

function toRank(line: string): number {
  if (NOISE.some((pattern) => pattern.test(line)) || NO_FAILURES.test(line)) return 3;
  if (isReason(line)) return 0;
  return isFailureLine(line) ? 1 : 2;
}
