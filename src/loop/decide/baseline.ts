import { type GateResult, isRequiredGate, mayStayRed, type RedGate, toResultName } from '../../core/index.ts';
import { noteTests } from './lost-tests.ts';
import { change, count, notify, order, type Step, tell } from './step.ts';

/** How a shell says that there is no such command, or that it cannot be run. */
const NOT_FOUND = 127;
const NO_COMMAND = [126, NOT_FOUND];

/** The gates that are run before the first turn, by index. */
export function gatesOnBegin({ topology }: Step): readonly number[] {
  return topology.spec.gates.flatMap((gate, index) => (gate.baseline === undefined || !isRequiredGate(gate) ? [] : [index]));
}

/** Before the first turn: what gates show now is what the end is compared with. Nothing is ordered where no gate asks for it. */
export function askBaseline(step: Step): void {
  const gates = gatesOnBegin(step);
  if (gates.length === 0) return;
  const request = count(step, 'request');
  const wait = { request, gates, hat: '', iteration: 0, completion: null, drafts: [], isBaseline: true as const };
  change(step, { gateWaits: [...step.state.gateWaits, wait] });
  order(step, { type: 'gates-run', request, gates, topics: [], isBaseline: true });
}

/** Keeps what was red, and tells people and who begins. */
export function takeBaseline(step: Step, results: readonly GateResult[]): void {
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
    notify(
      step,
      'warning',
      'gate-red-before',
      `${toResultName(result)} was red before the first turn (${toShownText(result)}); ${demand}.${advice}`,
    );
  }
  const gates = red.map(({ result, mayStay }) => ({ command: result.command, failedTests: result.failedTests ?? null, mayStay }));
  for (const hat of new Set(step.state.pending.map((entry) => entry.hat))) tell(step, hat, { kind: 'red-before', gates });
}

function toRedGate(run: string, { exitCode, timedOut, failedTests }: GateResult): RedGate {
  return { run, exitCode, timedOut, failedTests: failedTests ?? null };
}

/** True for a failure that may stand, because the gate was no better before the first turn. */
export function isNoWorse({ topology, state }: Step, result: GateResult): boolean {
  const spec = topology.spec.gates[result.gate];
  if (spec === undefined || !mayStayRed(spec)) return false;
  const before = state.redBefore?.find(({ run }) => run === spec.run);
  if (before === undefined) return false;
  if (result.timedOut || result.exitCode === null) return result.timedOut && before.timedOut;
  if (NO_COMMAND.includes(result.exitCode) && before.exitCode !== result.exitCode) return false;
  if (before.failedTests === null) return true;
  // Tests that do not even run any more are worse than some that fail.
  return result.failedTests !== undefined && result.failedTests <= before.failedTests;
}

/** Tells which failures stand. */
export function tellNoWorse(step: Step, results: readonly GateResult[]): void {
  for (const result of results) {
    const before = step.state.redBefore?.find(({ run }) => run === step.topology.spec.gates[result.gate]?.run);
    const then = before?.failedTests == null ? '' : `; ${toTestsText(before.failedTests)} before the first turn`;
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
