import { checkEvents, checkRefusals, showEvent, showRefusal } from './check-events.ts';
import { checkTurns } from './check-turns.ts';
import { compare, compareLists, type Mismatch } from './mismatch.ts';
import type { AgentCall, RunFacts, TurnFacts } from './run-facts.ts';
import type { Expectation, ExpectedFile, ExpectedNotice, Scenario } from './scenario.ts';

/** What came of a scenario: plain data, with the folders already removed. */
export interface ScenarioResult {
  readonly scenario: Scenario;
  /** In the order in which they were started. */
  readonly runs: readonly RunFacts[];
  /** Files that are expected somehow, as they were at the end; `null` where there is none. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly calls: readonly AgentCall[];
  /** What is wrong whatever was expected: an agent that was called once too often, a process that is left. */
  readonly faults: readonly string[];
  /** Where it ran; the folder is still there only with `keep`. */
  readonly folder: string;
}

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

/** A run in lines: what was asked of whom, what came of it, in order. */
export function describeRun(run: RunFacts, number: number): string {
  const error = run.error === null ? [] : [`error ${run.error.code}: ${run.error.message}`];
  const before = run.events.filter((event) => event.iteration === 0).map((event) => `  ${showEvent(event)}`);
  const ends = run.ends.map((end) => `ended: ${end.reason} (exit code ${end.exitCode ?? 'none'}): ${end.detail}`);
  const notices = run.notices.map((notice) => `notice ${notice.code}: ${notice.text}`);
  return [
    `run ${number}: ${run.iterations} iterations, ${run.durationMs} ms`,
    ...error,
    ...before,
    ...run.turns.flatMap((turn) => describeTurn(run, turn)),
    ...notices,
    ...ends,
  ].join('\n');
}

function describeTurn(run: RunFacts, turn: TurnFacts): readonly string[] {
  const failure = turn.failure === null ? '' : ` (${turn.failure.class}: ${turn.failure.message})`;
  const isLast = !run.turns.some((other) => other.iteration === turn.iteration && other.attempt > turn.attempt);
  const head = `${turn.iteration}.${turn.attempt} ${turn.hat} (${turn.backend || 'not started'}) given ${turn.given.join(', ') || 'nothing'}: ${turn.status}${failure}`;
  if (!isLast) return [head];
  const events = run.events.filter((event) => event.iteration === turn.iteration).map((event) => `  ${showEvent(event)}`);
  const refused = run.refused.filter((entry) => entry.iteration === turn.iteration).map((entry) => `  refused: ${showRefusal(entry)}`);
  return [head, ...events, ...refused];
}

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

function checkFiles(expected: Readonly<Record<string, ExpectedFile>>, files: Readonly<Record<string, string | null>>): readonly Mismatch[] {
  return Object.entries(expected).flatMap(([name, wanted]) => {
    const text = files[name] ?? null;
    return checkFile(wanted, text).map((words) => ({ what: `files.${name}`, expected: words, seen: text ?? 'there is no such file' }));
  });
}

/** What is expected and not so, in words. */
function checkFile(wanted: ExpectedFile, text: string | null): readonly string[] {
  if (wanted === 'absent') return text === null ? [] : ['not to be there'];
  if (text === null) return ['to be there'];
  if (wanted === 'exists') return [];
  if ('equals' in wanted) return text === wanted.equals ? [] : [`to be ${JSON.stringify(wanted.equals)}`];
  const missing = (wanted.contains ?? []).filter((part) => !text.includes(part)).map((part) => `to contain ${JSON.stringify(part)}`);
  const unwanted = (wanted.lacks ?? []).filter((part) => text.includes(part)).map((part) => `not to contain ${JSON.stringify(part)}`);
  return [...missing, ...unwanted];
}
