import { checkScenario } from './check-scenario.ts';
import { describeRun } from './describe-run.ts';
import type { Mismatch } from './mismatch.ts';
import type { ScenarioResult } from './scenario-result.ts';

/** Longest text that is shown of what was seen. */
const MAX_SEEN = 3000;

/**
 * Throws when something is not as the scenario expects: an `Error` whose message names each expectation that failed with what was
 * seen instead, then tells what happened.
 */
export function assertScenario(result: ScenarioResult): void {
  const mismatches = checkScenario(result);
  if (mismatches.length > 0) throw new Error(explain(result, mismatches));
}

function explain(result: ScenarioResult, mismatches: readonly Mismatch[]): string {
  const count = mismatches.length === 1 ? 'one expectation' : `${mismatches.length} expectations`;
  return [
    `Scenario "${result.scenario.name}" did not go as expected: ${count} failed.`,
    ...mismatches.map(showMismatch),
    'What happened:',
    ...result.runs.map((run, index) => indent(describeRun(run, index + 1), 2)),
  ].join('\n\n');
}

function showMismatch({ what, expected, seen }: Mismatch): string {
  const shown = seen.length > MAX_SEEN ? `${seen.slice(0, MAX_SEEN)}\n[${seen.length - MAX_SEEN} more characters]` : seen;
  if (expected === null) return `  ${what}: ${shown}`;
  return [`  ${what}`, `    expected: ${indent(expected, 14).trimStart()}`, `    seen:     ${indent(shown, 14).trimStart()}`].join('\n');
}

function indent(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `${' '.repeat(columns)}${line}`))
    .join('\n');
}
