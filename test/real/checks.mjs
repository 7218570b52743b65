/** Collects what is wrong, so that one failed expectation does not hide the next. */

/**
 * @typedef {object} Checks
 * @property {string[]} problems one line each
 * @property {string[]} notes what was done, where the name of the step does not say it: one line each
 * @property {(line: string) => void} note
 * @property {(what: string, actual: unknown, expected: unknown) => void} equal compares as JSON
 * @property {(what: string, condition: unknown, detail?: unknown) => void} ok
 */

/** @returns {Checks} */
export function createChecks() {
  /** @type {string[]} */
  const problems = [];
  /** @type {string[]} */
  const notes = [];
  return {
    problems,
    notes,
    note: (line) => void notes.push(line),
    equal(what, actual, expected) {
      const [found, wanted] = [show(actual), show(expected)];
      if (found !== wanted) problems.push(`${what}: ${found}, expected ${wanted}`);
    },
    ok(what, condition, detail) {
      if (!condition) problems.push(detail === undefined ? what : `${what}: ${show(detail)}`);
    },
  };
}

/**
 * The run ended so, by its exit code and by its last line.
 *
 * @param {Checks} checks
 * @param {import('./ralph-command.mjs').RalphResult} result
 * @param {number} exitCode
 * @param {string} reason
 */
export function checkEnd(checks, result, exitCode, reason) {
  const end = result.records.at(-1) ?? {};
  checks.equal('end', [result.exitCode, end['reason']], [exitCode, reason]);
  if (result.exitCode !== exitCode) checks.ok('what it said', false, (result.stderr + result.stdout.slice(-1_000)).trim());
}

/** @param {unknown} value */
function show(value) {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 1_500 ? `${text.slice(0, 1_500)}…` : text;
}
