import { type GateResult, toResultName } from '../../core/gates/gate-result.ts';
import { isRequiredGate, mayStayRed } from '../../core/gates/gate-spec.ts';
import type { RedGate, RunState } from '../../core/run/state.ts';
import { change, count, type LoopStep, notify, order, tell } from './step.ts';

/** How a shell says that there is no such command, or that it cannot be run. */
const NOT_FOUND = 127;
const NO_COMMAND = [126, NOT_FOUND];

/** The gates that are run before the first turn, by index. */
export function gatesOnBegin({ topology }: LoopStep): readonly number[] {
  return topology.spec.gates.flatMap((gate, index) => (gate.baseline === undefined || !isRequiredGate(gate) ? [] : [index]));
}

/** Orders the gates whose results before the first turn are compared with those at the end. Nothing is ordered where no gate asks for it. */
export function askBaseline(step: LoopStep): void {
  const gates = gatesOnBegin(step);
  if (gates.length === 0) return;
  const request = count(step, 'request');
  const wait = { request, gates, hat: '', iteration: 0, completion: null, drafts: [], isBaseline: true as const };
  change(step, { gateWaits: [...step.state.gateWaits, wait] });
  order(step, { type: 'gates-run', request, gates, topics: [], isBaseline: true });
}

/** Keeps which gates failed before the first turn, and tells people and the hats that begin. */
export function takeBaseline(step: LoopStep, results: readonly GateResult[]): void {
  noteTests(step, results);
  const red = results.flatMap((result) => {
    const spec = step.topology.spec.gates[result.gate];
    return result.passed || spec?.baseline === undefined ? [] : [{ result, spec, mayStay: mayStayRed(spec) }];
  });
  if (red.length === 0) return;
  change(step, { redBefore: red.map(({ result, spec }): RedGate => toRedGate(spec.run, result)) });
  for (const { result, mayStay } of red) {
    const demand = mayStay ? 'it may stay so, but not get worse' : 'it must be green at the end';
    const advice =
      result.exitCode === NOT_FOUND ? ' A command was not found where gates run: install it, or name another under `gates`.' : '';
    const words = `${toResultName(result)} was red before the first turn (${toShownText(result)}); ${demand}.${advice}`;
    notify(step, 'warning', 'gate-red-before', words);
  }
  const gates = red.map(({ result, mayStay }) => ({ command: result.command, failedTests: result.failedTests ?? null, mayStay }));
  for (const hat of new Set(step.state.pending.map((entry) => entry.hat))) tell(step, hat, { kind: 'red-before', gates });
}

function toRedGate(run: string, { exitCode, timedOut, failedTests }: GateResult): RedGate {
  return { run, exitCode, timedOut, failedTests: failedTests ?? null };
}

/** True for a failure that may stand, because the gate was no better before the first turn. */
export function isNoWorse({ topology, state }: LoopStep, result: GateResult): boolean {
  const spec = topology.spec.gates[result.gate];
  if (spec === undefined || !mayStayRed(spec)) return false;
  const before = findBefore(state, spec.run);
  if (before === undefined) return false;
  if (result.timedOut || result.exitCode === null) return result.timedOut && before.timedOut;
  if (NO_COMMAND.includes(result.exitCode) && before.exitCode !== result.exitCode) return false;
  if (before.failedTests === null) return true;
  // Tests that do not even run any more are worse than some that fail.
  return result.failedTests !== undefined && result.failedTests <= before.failedTests;
}

/** How a gate failed before the first turn; undefined where it did not. */
function findBefore({ redBefore }: RunState, run: string | undefined): RedGate | undefined {
  return redBefore?.find((red) => red.run === run);
}

/** Tells which failures stand. */
export function tellNoWorse(step: LoopStep, results: readonly GateResult[]): void {
  for (const result of results) {
    const failedBefore = findBefore(step.state, step.topology.spec.gates[result.gate]?.run)?.failedTests ?? null;
    const then = failedBefore === null ? '' : `; ${toTestsText(failedBefore)} before the first turn`;
    const words = `${toResultName(result)} is still red (${toShownText(result)}${then}): it may, because it is no worse.`;
    notify(step, 'warning', 'gate-no-worse', words);
  }
}

/** `exit 1, 2 failed tests` */
function toShownText({ exitCode, timedOut, failedTests }: GateResult): string {
  const end = timedOut ? 'ran out of time' : exitCode === null ? 'could not be run' : `exit ${exitCode}`;
  return failedTests === undefined ? end : `${end}, ${toTestsText(failedTests)}`;
}

function toTestsText(failed: number): string {
  return failed === 1 ? '1 failed test' : `${failed} failed tests`;
}

/** Keeps how many tests gates ran before the first turn, where their output told it. */
function noteTests(step: LoopStep, results: readonly GateResult[]): void {
  const { gates } = step.topology.spec;
  const testsBefore = results.flatMap(({ gate, ranTests = 0, isOutputCut = false }) => {
    const spec = gates[gate];
    return spec?.baseline === undefined || ranTests === 0 || isOutputCut ? [] : [{ run: spec.run, tests: ranTests }];
  });
  if (testsBefore.length > 0) change(step, { testsBefore });
}

/**
 * True for a gate that runs fewer tests than before the first turn: a suite that has lost its failing tests passes and proves nothing. An output that was
 * cut does not count, as its tests may only have become more talkative.
 */
export function hasLostTests(step: LoopStep, result: GateResult): boolean {
  return result.isOutputCut !== true && (result.ranTests ?? 0) < countBefore(step, result);
}

/** A pass of a gate that has lost tests is a failure, which says what is missing. */
export function refuseLostTests(step: LoopStep, result: GateResult): GateResult {
  if (!result.passed || !hasLostTests(step, result)) return result;
  const outputTail = `It ended well, but that does not count: ${toLostText(step, result)}. Bring back what was removed, skipped or taken out of its command. Where the task itself takes tests away, a person allows it: \`fewer_tests: allow\` for this gate.`;
  return { ...result, passed: false, outputTail };
}

/** Tells people which passes count for nothing. */
export function tellLostTests(step: LoopStep, results: readonly GateResult[]): void {
  for (const result of results.filter(({ passed }) => passed)) {
    if (!hasLostTests(step, result)) continue;
    const words = `${toResultName(result)} passed, but that does not count: ${toLostText(step, result)}.`;
    notify(step, 'warning', 'gate-lost-tests', words);
  }
}

function toLostText(step: LoopStep, result: GateResult): string {
  const { ranTests } = result;
  const now = ranTests === undefined ? 'its output tells of no tests' : `it ran ${ranTests} ${ranTests === 1 ? 'test' : 'tests'}`;
  return `${now}; before the first turn there were ${countBefore(step, result)}`;
}

function countBefore({ topology, state }: LoopStep, { gate, skipped = false }: GateResult): number {
  const spec = topology.spec.gates[gate];
  if (spec?.baseline === undefined || spec.mayLoseTests === true || skipped) return 0;
  return state.testsBefore?.find(({ run }) => run === spec.run)?.tests ?? 0;
}
