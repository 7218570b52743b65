import { checkEvents, checkRefusals } from './check-events.ts';
import { checkFiles } from './check-files.ts';
import { checkTurns } from './check-turns.ts';
import type { Expectation, ExpectedNotice } from './expectation.ts';
import { compare, compareLists, type Mismatch } from './mismatch.ts';
import type { Scenario } from './scenario.ts';
import type { RunFacts, ScenarioResult } from './scenario-result.ts';

/** The expectations of a scenario, one for each run. */
export function toExpectations({ expect }: Scenario): readonly Expectation[] {
  return Array.isArray(expect) ? (expect as readonly Expectation[]) : [expect as Expectation];
}

/** Everything that is not as expected; empty where all is well. */
export function checkScenario(result: ScenarioResult): readonly Mismatch[] {
  const faults = result.faults.map((fault) => ({ what: 'always', expected: null, seen: fault }));
  const expectations = toExpectations(result.scenario);
  const found = expectations.flatMap((expected, index) => {
    const run = result.runs[index];
    const label = expectations.length === 1 ? '' : `expect[${index}].`;
    const mismatches =
      run === undefined ? [{ what: 'run', expected: 'to be started', seen: 'it was not' }] : checkRun(expected, run, result);
    return mismatches.map((mismatch) => ({ ...mismatch, what: `${label}${mismatch.what}` }));
  });
  return [...faults, ...found];
}

function checkRun(expected: Expectation, run: RunFacts, result: ScenarioResult): readonly Mismatch[] {
  return [
    ...checkEnd(expected, run),
    ...compare('iterations', expected.iterations, run.iterations),
    ...compareLists(
      'hats',
      expected.hats,
      run.turns.map((turn) => turn.hat),
    ),
    ...checkEvents(expected, run.events),
    ...checkRefusals(expected, run.refused),
    ...checkNotices(expected, run.notices),
    ...checkTurns(expected.turns ?? [], run.turns),
    ...checkFiles(expected.files ?? {}, result.files),
    ...compare('cost_usd', expected.cost_usd, toCents(run.costUsd)),
    ...compare('commits', expected.commits, run.commits.length),
    ...compareLists('rivals', expected.rivals, run.rivals),
    ...checkDuration(expected, run.durationMs),
  ];
}

function checkEnd(expected: Expectation, run: RunFacts): readonly Mismatch[] {
  const last = run.ends.at(-1);
  const wantsError = expected.error !== undefined;
  const error =
    run.error === null || wantsError ? [] : [{ what: 'start', expected: 'no error', seen: `${run.error.code}: ${run.error.message}` }];
  return [
    ...error,
    ...compare('error', expected.error, run.error?.code ?? 'none'),
    ...compare('reason', expected.reason, last?.reason ?? 'none'),
    ...compareLists(
      'ends',
      expected.ends,
      run.ends.map((end) => end.reason),
    ),
    ...compare('exit_code', expected.exit_code, last?.exitCode ?? null),
    ...(expected.detail === undefined || last?.detail.includes(expected.detail) === true
      ? []
      : [{ what: 'detail', expected: `to contain ${JSON.stringify(expected.detail)}`, seen: last?.detail ?? 'none' }]),
  ];
}

function checkNotices(expected: Expectation, notices: RunFacts['notices']): readonly Mismatch[] {
  const seen = notices.length === 0 ? 'none' : notices.map((notice) => `${notice.code}: ${notice.text}`).join('\n');
  const isThere = ({ code, text = '' }: ExpectedNotice): boolean =>
    notices.some((notice) => notice.code === code && notice.text.includes(text));
  const missing = (expected.notices ?? [])
    .map((entry) => (typeof entry === 'string' ? { code: entry } : entry))
    .filter((entry) => !isThere(entry));
  const unwanted = (expected.notices_absent ?? []).filter((code) => isThere({ code }));
  return [
    ...missing.map((entry) => ({
      what: 'notices',
      expected: `${entry.code}${entry.text === undefined ? '' : ` with ${JSON.stringify(entry.text)}`}`,
      seen,
    })),
    ...unwanted.map((code) => ({ what: 'notices_absent', expected: `no ${code}`, seen })),
  ];
}

function checkDuration({ min_ms: minMs, max_ms: maxMs }: Expectation, seenMs: number): readonly Mismatch[] {
  if (minMs !== undefined && seenMs < minMs) return [{ what: 'min_ms', expected: `at least ${minMs}`, seen: String(seenMs) }];
  return maxMs !== undefined && seenMs > maxMs ? [{ what: 'max_ms', expected: `at most ${maxMs}`, seen: String(seenMs) }] : [];
}

/** Sums of money as people write them: 0.1 + 0.2 is 0.3. */
function toCents(costUsd: number | null): number | null {
  return costUsd === null ? null : Math.round(costUsd * 1e6) / 1e6;
}
